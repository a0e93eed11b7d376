// SMPP 3.4 §5.2.17: bits 1–0 SMSC receipt, 3–2 SME acknowledgement, 4 intermediate notification.

export const registeredDelivery = {
  none: 0,
  receipt: 1,
  receiptOnFailure: 2,
  receiptMask: 3,
  intermediate: 0x10,
} as const

/** Whether registered_delivery uses only defined values: receipt bits 11 and bits 7–5 are reserved. */
export function isRegisteredDelivery(value: number): boolean {
  return (value & registeredDelivery.receiptMask) !== 3 && (value & 0xe0) === 0
}
