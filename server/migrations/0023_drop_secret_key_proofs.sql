-- Root keys are encrypted with SECRET_KEY since the first schema, so nothing needs a proof of SECRET_KEY itself.
drop table secret_key_proofs;
