// Who gets the numbers of an import whose lines name clients.
import { sql } from 'kysely'
import { Refusal } from '@tollgate/contract/errors.ts'
import { assignedLinesMax } from '@tollgate/contract/numbers/numbers.ts'
import { sentence, spoken, type Words } from '@tollgate/contract/sentences.ts'
import type { Caller } from '../../http/handlers.ts'
import { rows, type Db } from '../../platform/db.ts'
import type { CatalogChange } from '../change-catalog.ts'
import type { NumbersDeps } from '../deps.ts'
import { assignIn } from '../inventory/assign.ts'
import { lockNumbers } from '../store.ts'
import type { ImportLine } from './read-lines.ts'

interface Client {
  readonly id: number
  readonly status: string
}

/** The clients of one import. */
export class ImportClients {
  readonly #deps: NumbersDeps
  readonly #by: Caller
  /** By username in lower case; undefined for a name that nobody has. */
  readonly #known = new Map<string, Client | undefined>()
  readonly #refused = new Map<string, Words>()
  #lineCount = 0

  constructor(deps: NumbersDeps, by: Caller) {
    this.#deps = deps
    this.#by = by
  }

  /** Why lines cannot be imported for their clients, by line. */
  async check(lines: readonly ImportLine[]): Promise<ReadonlyMap<number, Words>> {
    const named = lines.filter(({ client }) => client !== '')
    if (named.length === 0) return new Map()
    await this.#look([...new Set(named.map(({ client }) => client.toLowerCase()))])
    const faults = named.flatMap((line): [number, Words][] => {
      this.#lineCount += 1
      const fault = this.#faultOf(line)
      return fault === undefined ? [] : [[line.line, fault]]
    })
    return new Map(faults)
  }

  #faultOf({ client, input }: ImportLine): Words | undefined {
    const name = client.toLowerCase()
    const found = this.#known.get(name)
    if (this.#lineCount > assignedLinesMax)
      return sentence('At most {count} lines may name a client. Import the others in another file', {
        count: assignedLinesMax,
      })
    if (found === undefined) return sentence('There is no user {name}', { name: { text: client } })
    if (found.status !== 'active')
      return sentence('{name} is not active. Activate the account first', { name: { text: client } })
    if (input.status !== 'active') return spoken('A suspended number cannot be assigned')
    return this.#refused.get(name)
  }

  async #look(names: readonly string[]): Promise<void> {
    const asked = names.filter((name) => !this.#known.has(name))
    if (asked.length === 0) return
    const found = await rows<Client & { name: string }>(
      this.#deps.db,
      sql`select id, lower(username) as name, status from users where lower(username) = any(${asked})`,
    )
    for (const name of asked) {
      const client = found.find((each) => each.name === name)
      this.#known.set(name, client)
      const refusal = client && (await this.#refusalOf(client))
      if (refusal !== undefined) this.#refused.set(name, refusal)
    }
  }

  async #refusalOf({ id }: Client): Promise<Words | undefined> {
    try {
      await this.#deps.refuseOwnAccount(this.#deps.db, [{ userId: id }], this.#by.actor)
      return undefined
    } catch (error) {
      if (error instanceof Refusal) return error.words ?? error.message
      throw error
    }
  }

  /** Assigns the numbers that an import has added, in the transaction that has closed the gate. Throws Refusal as assigning does. */
  async assign(tx: Db, change: CatalogChange, importId: number, lines: readonly ImportLine[]): Promise<void> {
    for (const name of new Set(lines.map(({ client }) => client.toLowerCase()))) {
      const own = lines.filter(({ client }) => client.toLowerCase() === name)
      const userId = this.#known.get(name)?.id ?? 0
      const added = await rows<{ id: number }>(
        tx,
        sql`select id from numbers where import_id = ${importId} and deleted_at is null
            and number = any(${own.map(({ input }) => input.number)})`,
      )
      const numbers = await lockNumbers(
        tx,
        added.map(({ id }) => id),
      )
      await assignIn(this.#deps, tx, change, numbers, { userId }, this.#by)
    }
  }
}
