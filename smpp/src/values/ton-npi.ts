// SMPP 3.4 §5.2.5 type of number and §5.2.6 numbering plan indicator.

export const ton = {
  unknown: 0,
  international: 1,
  national: 2,
  networkSpecific: 3,
  subscriberNumber: 4,
  alphanumeric: 5,
  abbreviated: 6,
} as const

const npi = {
  unknown: 0,
  isdn: 1,
  data: 3,
  telex: 4,
  landMobile: 6,
  national: 8,
  private: 9,
  ermes: 10,
  internet: 14,
  wapClientId: 18,
} as const

// Bit n stands for NPI n: a table look-up without an allocation on the hot path.
const npiBits = Object.values(npi).reduce<number>((bits, value) => bits | (1 << value), 0)

/** Whether a TON is one that §5.2.5 defines; all others are reserved. */
export function isTon(value: number): boolean {
  return value <= ton.abbreviated
}

/** Whether an NPI is one that §5.2.6 defines; all others are reserved. */
export function isNpi(value: number): boolean {
  return value <= npi.wapClientId && ((npiBits >> value) & 1) === 1
}
