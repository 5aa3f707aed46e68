"use strict";
// Draws the charts of the page with plotly, and redraws them when their data or the colours change.
// A chart is an element of class "chart" whose attribute data-chart holds its title and its lines.
// The library is large: it is loaded when the rest of the page is there and can be used.

const library = document.currentScript.dataset.library;

const DASHES = ["solid", "dash", "dot", "dashdot"];
const MARKERS = ["circle", "square", "triangle-up", "diamond"];
const COLOURS = 8;

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

// plotly reads some HTML in texts; the name of a run is plain text.
function plain(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function trace(line, title) {
  const paint = colour(`line${line.number % COLOURS}`);
  return {
    type: "scatter",
    mode: "lines+markers",
    name: plain(line.name),
    x: line.x,
    y: line.y,
    line: { color: paint, width: 2, dash: DASHES[Math.floor(line.number / 2) % DASHES.length] },
    marker: { color: paint, size: 6, symbol: MARKERS[line.number % MARKERS.length], maxdisplayed: 12 },
    hovertemplate: `%{fullData.name}<br>%{y:.3g} chips<br>%{x:,.4~g} ${title}<extra></extra>`,
  };
}

// Numbers are written as 1k and 0.001. As powers of ten, plotly would draw exponents with style attributes, which the
// content security policy refuses.
function axis(title, ticks, labels) {
  return {
    type: "log",
    title: { text: title, font: { size: 13 }, standoff: 10 },
    tickformat: ticks,
    nticks: labels, // beyond 0.7 decades for each label, powers of ten alone: others would overlap on a phone
    gridcolor: colour("rule"),
    linecolor: colour("rule"),
    zerolinecolor: colour("rule"),
    automargin: true,
  };
}

function layout(data) {
  return {
    showlegend: false,
    hovermode: "closest",
    hoverdistance: 40,
    dragmode: matchMedia("(pointer: coarse)").matches ? false : "zoom",
    uirevision: "keep", // new data leave the zoom as it is
    margin: { l: 64, r: 20, t: 34, b: 56 },
    paper_bgcolor: colour("panel"),
    plot_bgcolor: colour("panel"),
    font: { family: "system-ui, sans-serif", size: 12, color: colour("pale") },
    hoverlabel: { bgcolor: colour("ground"), bordercolor: colour("pale"), font: { color: colour("ink") } },
    modebar: { bgcolor: "rgba(0, 0, 0, 0)", color: colour("pale"), activecolor: colour("accent") },
    xaxis: axis(data.title, data.ticks, data.ticks === "~s" ? 4 : 2),
    yaxis: axis(data.vertical, "~g", 4),
  };
}

const CONFIGURATION = {
  displaylogo: false,
  responsive: true,
  modeBarButtons: [["zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", "resetScale2d"]],
};

function draw(element) {
  const data = JSON.parse(element.dataset.chart);
  const lines = data.lines.map((line) => trace(line, data.title));
  Plotly.react(element, lines, layout(data), CONFIGURATION);
}

function drawAll(root) {
  if (!window.Plotly) return; // not loaded yet: all charts are drawn when it is
  for (const element of root.querySelectorAll(".chart[data-chart]")) draw(element);
}

document.addEventListener("explorer:replaced", (event) => drawAll(event.target));
document.addEventListener("explorer:colours", () => drawAll(document));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => drawAll(document));

function loadLibrary() {
  const script = document.createElement("script");
  script.src = library;
  script.addEventListener("load", () => drawAll(document));
  document.head.append(script);
}

if (document.readyState === "complete") loadLibrary();
else addEventListener("load", loadLibrary);
