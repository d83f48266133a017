"""The transcript's colours, all from the theme; what they tell is told by glyphs and signs too."""

DEFAULT_CSS = """
Transcript {
    background: $background;
    color: $foreground;
    overflow-x: hidden;
    overflow-y: scroll;
    scrollbar-size-vertical: 1;

    & > .transcript--text { color: $foreground; }
    & > .transcript--dim { color: $text-muted; }
    & > .transcript--cursor { color: $foreground 40%; }
    &:focus > .transcript--cursor { color: $primary; }
    & > .transcript--user { color: $foreground; background: $primary 12%; }
    & > .transcript--user-glyph { color: $text-primary; text-style: bold; }
    & > .transcript--answer-glyph { color: $text-accent; }
    & > .transcript--thinking { color: $text-muted; }
    & > .transcript--note { color: $text-secondary; }
    & > .transcript--error { color: $text-error; text-style: bold; }
    & > .transcript--warning { color: $text-warning; text-style: bold; }
    & > .transcript--info { color: $text-primary; text-style: bold; }
    & > .transcript--output { color: $text-muted; }
    & > .transcript--title { color: $foreground; }
    & > .transcript--target { color: $text-primary; }
    & > .transcript--meta { color: $text-muted; }
    & > .transcript--turn { color: $text-muted; }
    & > .transcript--turn-rule { color: $foreground 25%; }

    & > .transcript--call-proposed { color: $text-muted; }
    & > .transcript--call-asking { color: $text-warning; text-style: bold; }
    & > .transcript--call-queued { color: $text-muted; }
    & > .transcript--call-running { color: $text-primary; text-style: bold; }
    & > .transcript--call-done { color: $text-success; }
    & > .transcript--call-failed { color: $text-error; text-style: bold; }
    & > .transcript--call-refused { color: $text-error; }
    & > .transcript--call-cancelled { color: $text-muted; }

    & > .transcript--heading { color: $text-accent; }
    & > .transcript--heading-minor { color: $text-accent; }
    & > .transcript--link { color: $text-primary; }
    & > .transcript--link-address { color: $text-muted; }
    & > .transcript--list-marker { color: $text-accent; }
    & > .transcript--quote-bar { color: $text-secondary; }
    & > .transcript--rule { color: $foreground 25%; }
    & > .transcript--table-header { color: $foreground; }
    & > .transcript--table-rule { color: $foreground 30%; }

    & > .transcript--code { color: $foreground; background: $foreground 4%; }
    & > .transcript--code-inline { color: $text-accent; background: $foreground 7%; }
    & > .transcript--code-label { color: $text-muted; }
    & > .transcript--code-comment { color: $text-muted; text-style: italic; }
    & > .transcript--code-keyword { color: $text-primary; text-style: bold; }
    & > .transcript--code-string { color: $text-success; }
    & > .transcript--code-number { color: $text-warning; }
    & > .transcript--code-function { color: $text-accent; }
    & > .transcript--code-type { color: $text-secondary; text-style: bold; }
    & > .transcript--code-builtin { color: $text-primary; }

    & > .transcript--diff-added { color: $text-success; background: $success 14%; }
    & > .transcript--diff-removed { color: $text-error; background: $error 14%; }
    & > .transcript--diff-hunk { color: $text-secondary; text-style: bold; }
    & > .transcript--diff-context { color: $text-muted; }

    & > .transcript--below { color: $text-warning; background: $foreground 12%; text-style: bold; }
    & > .transcript--hit { background: $warning 40%; color: $foreground; text-style: underline; }
    & > .transcript--hit-current { background: $warning; color: auto 95%; text-style: bold underline; }
}
"""
