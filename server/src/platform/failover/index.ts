// Several database servers behind one DATABASE_URL (decision 50).
import type pg from 'pg'
import { readDatabaseUrl } from '../process/database-url.ts'
import { Primary } from './primary.ts'
import { clientOf } from './primary-client.ts'

/** What openDatabase needs of an address with several servers. */
export interface SeveralServers {
  /** For pg: user, password, database, TLS. `Client` adds host and port. */
  readonly url: string
  readonly Client: typeof pg.Client
  /** Call it when the last connection is closed. */
  release(): void
}

// Pools of one process on one address share its primary.
const primaries = new Map<string, Primary>()

/** Undefined for an address with one server. `onChange` is called with one line for each change to another server. */
export function openServers(address: string, onChange: (words: string) => void): SeveralServers | undefined {
  const { servers = [], url = '' } = readDatabaseUrl(address) ?? {}
  if (servers.length < 2) return undefined
  const primary = primaries.get(address) ?? new Primary({ servers, url, onChange })
  primaries.set(address, primary)
  primary.retain()
  const release = () => {
    if (primary.release() === 0) primaries.delete(address)
  }
  return { url, Client: clientOf(primary), release }
}
