"""What people read on pages: a response and its inputs laid out, safe to show, with the style and script for it."""
