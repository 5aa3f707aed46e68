"""Help and pages in English and in Chinese: which language is asked for, and the table of translations.

choice          from `--lang` and the locale to a language
tables          zh.toml: every help text and every label in Chinese
command_help    the help of the command line in another language
page_labels     the pages of the explorer in another language

English texts are the keys of the table, as in gettext. Names of games, methods, infosets and actions, numbers and
error messages are not translated.
"""
