// SMPP 3.4 §5.2.19 and, for the 0xC0–0xFF groups, 3GPP TS 23.038 §4.

export const dataCoding = {
  smscDefault: 0x00,
  ia5: 0x01,
  octetsUnspecified: 0x02,
  latin1: 0x03,
  octets: 0x04,
  jis: 0x05,
  cyrillic: 0x06,
  hebrew: 0x07,
  ucs2: 0x08,
  pictogram: 0x09,
  musicCodes: 0x0a,
  extendedKanji: 0x0d,
  koreanKsc: 0x0e,
} as const
