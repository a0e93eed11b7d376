// SMPP 3.4 §5.2.12: bits 1–0 messaging mode, 5–2 message type, 7–6 GSM network features.

export const esmClass = {
  udhIndicator: 0x40,
  replyPath: 0x80,
  messageTypeMask: 0x3c,
  deliveryReceipt: 0x04,
  deliveryAcknowledgement: 0x08,
  manualAcknowledgement: 0x10,
  conversationAbort: 0x18,
  intermediateNotification: 0x20,
} as const

/** Whether an ESME may send this esm_class in submit_sm, submit_multi or data_sm (§5.2.12, ESME → SMSC). */
export function isSubmitEsmClass(value: number): boolean {
  return (value & esmClass.messageTypeMask) === 0 || isSmeAcknowledgement(value)
}

/** Whether an SMSC may send this esm_class in deliver_sm or data_sm (§5.2.12, SMSC → ESME). */
export function isDeliverEsmClass(value: number): boolean {
  switch (value & esmClass.messageTypeMask) {
    case 0:
    case esmClass.deliveryReceipt:
    case esmClass.deliveryAcknowledgement:
    case esmClass.manualAcknowledgement:
    case esmClass.conversationAbort:
    case esmClass.intermediateNotification:
      return true
    default:
      return false
  }
}

/** Whether it is an acknowledgement of an SME, by its telephone or by its user: an answer, and no message of its own. */
export function isSmeAcknowledgement(value: number): boolean {
  const type = value & esmClass.messageTypeMask
  return type === esmClass.deliveryAcknowledgement || type === esmClass.manualAcknowledgement
}

/** Whether the message starts with a user data header (UDHI set). */
export function hasUdh(value: number): boolean {
  return (value & esmClass.udhIndicator) !== 0
}

/** Whether a deliver_sm or data_sm is an SMSC delivery receipt or an intermediate notification. */
export function isReceipt(value: number): boolean {
  const type = value & esmClass.messageTypeMask
  return type === esmClass.deliveryReceipt || type === esmClass.intermediateNotification
}
