"""Names: games, methods and problems by what users, files and other packages call them.

This room lies above all others of the library and is the only one that lists their games and methods.
"""
