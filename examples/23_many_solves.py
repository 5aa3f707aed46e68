"""Many solves at once: one-card poker with 3 to 13 cards by two methods, on worker processes, a file for each."""

import tempfile

from pictures import COLOURS, STYLES, finish, folder, panels

import regretless as rg

DECKS = range(3, 14)


def main():
    games = {f"{deck:2} cards": rg.games.OneCardPoker(deck) for deck in DECKS}
    with tempfile.TemporaryDirectory() as kept:
        many = rg.solve_many(games, ["cfr+", "dcfr"], folder=kept, iterations=500, workers=2)
        again = rg.solve_many(games, ["cfr+", "dcfr"], folder=kept, iterations=500, workers=2)
    rows = many.table()
    skipped = sum(row["status"] == "skipped" for row in again.table())
    print(f"{len(rows)} runs; the second call skipped {skipped}, since they were complete")
    for row in rows[1::2]:
        print(f"{row['task']}: value {row['value']:+.5f}, exploitability {row['exploitability']:.1e}")

    if (place := folder()) is None:
        return
    figure, (left, right) = panels(2, size=(9.0, 3.6))
    for number, name in enumerate(("CFR+", "DCFR")):
        look = {"color": COLOURS[number], "linestyle": STYLES[number], "marker": "."}
        right.semilogy(DECKS, [row["exploitability"] for row in rows[number::2]], label=name, **look)
    left.plot(DECKS, [row["value"] for row in rows[1::2]], color=COLOURS[0], marker=".")
    left.set(xlabel="cards in the deck", ylabel="value to player 0 (chips)", title="One-card poker")
    right.set(xlabel="cards in the deck", ylabel="exploitability", title="After 500 iterations")
    finish(figure, place / "many-solves.png")


if __name__ == "__main__":
    main()
