// Checks the chain in portions: new entries at each run, and the whole log over and over.
import { Gauge } from 'prom-client'
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db.ts'
import type { Logger } from '../platform/log.ts'
import { registry } from '../platform/metrics.ts'
import { afterCommit, transaction } from '../platform/transaction.ts'
import { findLink, readHead } from './chain-store.ts'
import { beginning, type Break, type ChainPosition } from './check.ts'
import type { AuditKeys } from './keys.ts'
import { loadState, saveState, type ChainCheckState, type FoundBreak } from './state.ts'
import { checkChain, checkEnd, checkPublished, follow } from './verify.ts'

const broken = new Gauge({
  name: 'tollgate_audit_broken',
  help: '1 when the audit log was found altered and nobody has acknowledged it, else 0.',
  registers: [registry],
})
const verified = new Gauge({
  name: 'tollgate_audit_verified_entries',
  help: 'Entries of the audit log that were checked: of the new ones (part="tail") and in the present round (part="round").',
  labelNames: ['part'],
  registers: [registry],
})
const roundEnded = new Gauge({
  name: 'tollgate_audit_verified_timestamp_seconds',
  help: 'When the whole audit log had been checked last, seconds since 1970; 0 before.',
  registers: [registry],
})

export interface WatchDeps {
  readonly db: Db
  readonly clock: Clock
  readonly keys: AuditKeys
  readonly log: Pick<Logger, 'error'>
  /** Awaited before each portion, so that messages come first. */
  readonly pause: () => Promise<void>
}

// A run takes half a second at most, and a million entries are through in some hours.
const entriesOfRun = 5_000
// More would make a person wait too long; of a longer log the job's result is shown.
const entriesAtOnce = 20_000

export interface Watch {
  /** One piece of the check. */
  readonly run: (signal?: AbortSignal) => Promise<void>
  /**
   * The check that a person requests: the whole of a log of up to 20,000 entries, else the new entries and the job's
   * result.
   */
  verify(db: Db): Promise<{ isIntact: boolean; count: number; brokenId: string | null }>
  state(db: Db): Promise<ChainCheckState>
}

export function createWatch(deps: WatchDeps): Watch {
  const { db, keys, pause } = deps
  // Outside the database: a restore of the database to an earlier state does not change it.
  let remembered: Pick<ChainPosition, 'id' | 'hash'> = beginning
  let known: FoundBreak | undefined
  async function run(signal?: AbortSignal): Promise<void> {
    const { state, isForged } = await loadState(db, keys)
    if (isForged)
      deps.log.error(
        {},
        'the state of the check of the audit log was changed by somebody else: it begins anew',
      )
    const found: Break[] = []
    const lost = await goneSince(db, remembered)
    if (lost !== undefined) found.push(lost)
    const next = await checkPiece(deps, state, found, signal)
    remembered = next.tail
    await transaction(db, async (tx) => {
      // An acknowledgement may have come meanwhile.
      const { state: current } = await loadState(tx, keys, true)
      const kept = isForged ? state : current
      const isNew = ({ id, kind }: Break) => !kept.acknowledged.includes(`${id} ${kind}`)
      const alarm = found.find(isNew)
      const again = known !== undefined && isNew(known) ? known : undefined
      const foundAt = deps.clock.now().toISOString()
      const saved = {
        ...next,
        acknowledged: kept.acknowledged,
        broken: kept.broken ?? again ?? (alarm && { ...alarm, foundAt }),
      }
      await saveState(tx, keys, saved)
      afterCommit(tx, () => {
        if (saved.broken !== undefined && known === undefined) report(deps, saved.broken)
        known = saved.broken
        show(saved)
      })
    })
  }
  return {
    run,
    state: async (on) => (await loadState(on, keys)).state,
    async verify(on) {
      const head = await readHead(on)
      const isShort = Number(head.entryCount) <= entriesAtOnce
      const { place, breaks } = isShort
        ? await checkChain(on, keys, { limit: entriesAtOnce, pause })
        : await checkNew({ ...deps, db: on }, (await loadState(on, keys)).state)
      return { isIntact: breaks.length === 0, count: place.entryCount, brokenId: breaks[0]?.id ?? null }
    },
  }
}

function report({ log }: WatchDeps, { id, kind }: FoundBreak): void {
  log.error({ entryId: id, kind }, 'the audit log was altered: compare it with a published head and a backup')
}

function show(state: ChainCheckState): void {
  broken.set(state.broken === undefined ? 0 : 1)
  verified.set({ part: 'tail' }, state.tail.entryCount)
  verified.set({ part: 'round' }, state.round.entryCount)
  roundEnded.set(state.roundEndedAt === undefined ? 0 : Date.parse(state.roundEndedAt) / 1000)
}

/** Whether an entry that was there once is still there as it was. */
async function goneSince(
  db: Db,
  { id, hash }: Pick<ChainPosition, 'id' | 'hash'>,
): Promise<Break | undefined> {
  if (id === '0') return undefined
  const link = await findLink(db, id)
  if (link === undefined) return { id, kind: 'cut' }
  return link.hash.equals(hash) ? undefined : { id, kind: 'altered' }
}

/** Continues from a state, and adds the breaks to `found`. */
async function checkPiece(
  { db, clock, keys, pause }: WatchDeps,
  state: ChainCheckState,
  found: Break[],
  signal: AbortSignal | undefined,
): Promise<ChainCheckState> {
  const options = { pause, ...(signal && { signal }) }
  const checkedAt = clock.now().toISOString()
  const head = await readHead(db)
  const lost = await goneSince(db, state.tail)
  if (lost !== undefined) {
    found.push(lost)
    // From here on the present entries are checked.
    return { ...state, tail: beginning, round: beginning, checkedAt }
  }
  const fresh = await follow(db, keys, state.tail, head.id, { ...options, limit: entriesOfRun })
  found.push(...fresh.breaks)
  const tail = fresh.place
  // The head can be checked only after all links up to it.
  const left = entriesOfRun - (tail.entryCount - state.tail.entryCount)
  const end = left > 0 && signal?.aborted !== true ? await checkEnd(db, keys, tail, head) : undefined
  if (end !== undefined) found.push(end)
  const again = await follow(db, keys, state.round, tail.id, { ...options, limit: left })
  found.push(...again.breaks)
  const published = await checkPublished(db, keys, state.round.id, again.place.id)
  if (published !== undefined) found.push(published)
  const isThrough = again.place.id === tail.id && signal?.aborted !== true
  if (isThrough && !again.place.hash.equals(tail.hash)) found.push({ id: tail.id, kind: 'altered' })
  return {
    ...state,
    tail,
    checkedAt,
    round: isThrough ? beginning : again.place,
    roundEndedAt: isThrough ? checkedAt : state.roundEndedAt,
  }
}

/** The entries since the job's last run, and the job's result. */
async function checkNew({ db, keys, pause }: WatchDeps, { tail, broken: known }: ChainCheckState) {
  const head = await readHead(db)
  const lost = await goneSince(db, tail)
  const { place, breaks } = await follow(db, keys, tail, head.id, { limit: entriesAtOnce, pause })
  const end = place.id === head.id ? await checkEnd(db, keys, place, head) : undefined
  return { place, breaks: [known, lost, ...breaks, end].filter((each) => each !== undefined) }
}
