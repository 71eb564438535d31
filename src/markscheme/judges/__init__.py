"""Who can be asked: one adapter a provider, and judges wrapped round a judge."""
