"""CFR finished by linear programs: symmetric sequences merged, bad actions left out, the result certified."""
