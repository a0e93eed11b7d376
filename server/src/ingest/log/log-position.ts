// Positions in the log of records. All readers on all nodes read the log in this one order.

/** 0: a record of a batch; 1: a changed record; 2: the end of a long message, which `readLog` leaves out. */
export type LogKind = 0 | 1 | 2

/** `log` is the id of the batch, change or long message, `nth` the record's index in it. */
export interface LogPosition {
  readonly xid: bigint
  readonly kind: LogKind
  readonly log: number
  readonly nth: number
}

/** The position just before everything of the transactions from `xid` on. */
export function positionBelow(xid: bigint): LogPosition {
  return { xid, kind: 0, log: 0, nth: -1 }
}

const kinds: readonly LogKind[] = [0, 1, 2]

/** Negative when `a` comes first. */
export function comparePositions(a: LogPosition, b: LogPosition): number {
  if (a.xid !== b.xid) return a.xid < b.xid ? -1 : 1
  return a.kind - b.kind || a.log - b.log || a.nth - b.nth
}

/** The position as the id of an event. */
export function formatPosition({ xid, kind, log, nth }: LogPosition): string {
  return nth < 0 ? String(xid) : `${xid}-${kind}-${log}-${nth}`
}

/** Reads the id of an event; undefined for any other text. */
export function parsePosition(text: string): LogPosition | undefined {
  const match = /^(\d{1,19})(?:-([012])-(\d{1,15})-(\d{1,9}))?$/.exec(text)
  if (match === null) return undefined
  const [, xid = '0', kind, log, nth] = match
  if (kind === undefined) return positionBelow(BigInt(xid))
  return {
    xid: BigInt(xid),
    kind: kinds.find((each) => String(each) === kind) ?? 0,
    log: Number(log),
    nth: Number(nth),
  }
}
