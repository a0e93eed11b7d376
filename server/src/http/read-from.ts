// Which database answers a read: the read replica where it may, else the primary, also when the replica fails meanwhile.
import type { FastifyReply } from 'fastify'
import { Counter } from 'prom-client'
import type { Route } from '@tollgate/contract/route.ts'
import { isDatabaseAway } from '../platform/database/away.ts'
import { sqlState } from '../platform/db.ts'
import type { ReadReplica } from '../platform/failover/read-replica.ts'
import { registry } from '../platform/metrics.ts'
import type { StreamReply } from './handlers.ts'

const reads = new Counter({
  name: 'tollgate_replica_reads_total',
  help: 'Calls that the read replica may answer, by what answered them.',
  labelNames: ['from'],
  registers: [registry],
})

/** A handler on the primary, and the same one on the replica where there is one. */
export interface Handlings<H> {
  readonly onPrimary: H
  readonly onReplica: { readonly replica: ReadReplica; readonly handler: H } | undefined
}

/**
 * Runs one of the handlers, and says in the answer's `x-read-from` which: `replica; age=3`, with the seconds that the
 * answer is old at most, or `primary`. A call that the replica breaks off is made again on the primary; only a download that
 * has begun is lost.
 */
export async function readFrom<H>(
  { onReplica: freshness }: Pick<Route, 'onReplica'>,
  { onPrimary, onReplica }: Handlings<H>,
  run: (handler: H) => Promise<unknown>,
  reply: Pick<FastifyReply, 'header'>,
): Promise<unknown> {
  if (freshness === undefined || onReplica === undefined) return run(onPrimary)
  const say = (from: 'primary' | 'replica', words: string = from) => {
    reads.inc({ from })
    void reply.header('x-read-from', words)
  }
  const again = () => {
    say('primary')
    return run(onPrimary)
  }
  const age = await onReplica.replica.ageFor(freshness)
  if (age === undefined) return again()
  try {
    const result = await run(onReplica.handler)
    say('replica', `replica; age=${age}`)
    return isStream(result) ? streamOrElse(result, again as () => Promise<StreamReply>) : result
  } catch (error) {
    if (!isOfReplica(error)) throw error
    return again()
  }
}

/** Away, or ended because it was in the way of the replay (40001, PostgreSQL's documentation, 26.4.2). */
const isOfReplica = (error: unknown) => isDatabaseAway(error) || sqlState(error) === '40001'

const isStream = (result: unknown): result is StreamReply =>
  typeof result === 'object' && result !== null && 'contentType' in result && 'stream' in result

function streamOrElse(found: StreamReply, again: () => Promise<StreamReply>): StreamReply {
  const { stream, forExcel } = found
  return {
    ...found,
    stream: partsOrElse<string | Buffer>(stream, async () => (await again()).stream),
    ...(forExcel && {
      forExcel: (form) =>
        partsOrElse(forExcel(form), async () => {
          const other = await again()
          return other.forExcel?.(form) ?? (other.stream as AsyncIterable<string>)
        }),
    }),
  }
}

async function* partsOrElse<T>(
  parts: AsyncIterable<T>,
  again: () => Promise<AsyncIterable<T>>,
): AsyncGenerator<T> {
  let isBegun = false
  try {
    for await (const part of parts) {
      isBegun = true
      yield part
    }
    return
  } catch (error) {
    if (isBegun || !isOfReplica(error)) throw error
  }
  yield* await again()
}
