// Places in the log of records: the order in which everybody hears of them, on every node, again and again the same.

/** 0: a record of a batch; 1: a record that changed. */
export type LogKind = 0 | 1

/** `log` is the batch's or the change's id, `nth` the record's place in it. */
export interface LogPlace {
  readonly xid: bigint
  readonly kind: LogKind
  readonly log: number
  readonly nth: number
}

/** Just below everything of the transactions from `xid` on. */
export function placeBelow(xid: bigint): LogPlace {
  return { xid, kind: 0, log: 0, nth: -1 }
}

/** Negative when `a` comes first. */
export function comparePlaces(a: LogPlace, b: LogPlace): number {
  if (a.xid !== b.xid) return a.xid < b.xid ? -1 : 1
  return a.kind - b.kind || a.log - b.log || a.nth - b.nth
}

/** As an event's id. */
export function writePlace({ xid, kind, log, nth }: LogPlace): string {
  return nth < 0 ? String(xid) : `${xid}-${kind}-${log}-${nth}`
}

/** Reads an event's id; undefined when it is none of ours. */
export function parsePlace(text: string): LogPlace | undefined {
  const match = /^(\d{1,19})(?:-([01])-(\d{1,15})-(\d{1,9}))?$/.exec(text)
  if (match === null) return undefined
  const [, xid = '0', kind, log, nth] = match
  if (kind === undefined) return placeBelow(BigInt(xid))
  return { xid: BigInt(xid), kind: kind === '0' ? 0 : 1, log: Number(log), nth: Number(nth) }
}
