"""HTML pages for people: responses and inputs rendered safely, with the styles, scripts and server for them."""
