// What runs.test.ts and runs.long.test.ts stand on.
import type { DraftLine, RunDetail } from '@tollgate/contract/payment-runs/payment-runs.ts'
import { openTestTreasury } from '../../../test/money/treasury.ts'

export type Options = Parameters<typeof openTestTreasury>[0]

export async function openRuns(options: Options = {}) {
  const environment = await openTestTreasury(options)
  const { call, cycleId } = environment
  const draft = async (): Promise<DraftLine[]> => (await call(4, 'GET', '/api/payment-runs/draft')).body.lines
  const all = async () =>
    (await draft())
      .filter(({ problem }) => problem === '')
      .flatMap(({ debts }) => debts.map((debt) => debt.reference))
  const create = async (references?: string[], by = 4) =>
    call(by, 'POST', '/api/payment-runs', {
      body: { references: references ?? (await all()), note: 'week 10' },
    })
  const step = (id: string, verb: string, by: number, body?: object) =>
    call(by, 'PUT', `/api/payment-runs/${id}/${verb}`, body === undefined ? {} : { body })
  const run = async (id: string): Promise<RunDetail> => (await call(4, 'GET', `/api/payment-runs/${id}`)).body
  return {
    ...environment,
    draft,
    create,
    step,
    run,
    /** The reference of a client's bill. */
    billOf: (client: number) => `${cycleId}-${client}`,
    file: async (id: string, form = 'csv') => call(5, 'GET', `/api/payment-runs/${id}/file?form=${form}`),
    /** A run that is with the wallet: drafted by u4, approved and exported by u5. */
    exported: async (references?: string[]): Promise<string> => {
      const { status, body } = await create(references)
      if (status !== 201) throw new Error(`The run was refused: ${body.message}`)
      for (const verb of ['approve', 'export']) {
        const answer = await step(body.id, verb, 5)
        if (answer.status !== 200) throw new Error(`${verb} was refused: ${answer.body.message}`)
      }
      return body.id
    },
    hashes: (id: string, lines: string[], query = '') =>
      call(5, 'POST', `/api/payment-runs/${id}/hashes${query}`, {
        body: { data: ['reference,transaction_hash', ...lines].join('\n') },
      }),
    states: async (id: string) => (await run(id)).lines.map(({ userName, state }) => `${userName} ${state}`),
  }
}
