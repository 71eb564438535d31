"""The sections of a calibration's page, one module each, by their headings; other results' pages share some of them."""
