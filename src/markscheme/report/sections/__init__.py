"""The sections of a calibration's page, one module each; other results' pages share some of them."""
