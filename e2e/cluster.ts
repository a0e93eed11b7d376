// Runs once before all browser tests: one PostgreSQL cluster, in which each gateway gets a copy of a migrated database.
import { startThrowawayCluster } from '../server/test/environment/cluster.ts'

/** The environment variable with the folder of the cluster's socket. */
export const clusterVariable = 'E2E_POSTGRES_HOST'

// oxlint-disable-next-line import/no-default-export -- Playwright takes a global set-up by its default export only
export default async function startCluster(): Promise<() => Promise<void>> {
  const { host, stop } = await startThrowawayCluster()
  process.env[clusterVariable] = host
  return stop
}
