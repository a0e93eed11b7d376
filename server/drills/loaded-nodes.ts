// Nodes on one database, under load: what most drills of several nodes, or of the line to the database, begin with.
import type { DrillOptions, DrillRun } from './define.ts'
import { makeSharedTestbed, type TestbedNode } from './shared-testbed.ts'
import type { ProgramVersion } from './next-version.ts'
import { startLoad, type SupplierLoadOptions } from './start-load.ts'

/**
 * Starts a node for each of these environments, as `version` where it is another one; the first one makes the
 * supplier. All of it ends with the drill.
 */
export async function startLoadedNodes<const E extends readonly Readonly<Record<string, string>>[]>(
  { onEnd, random }: Pick<DrillRun<DrillOptions>, 'onEnd' | 'random'>,
  environments: E,
  load: SupplierLoadOptions,
  version: Partial<ProgramVersion> = {},
) {
  const testbed = await makeSharedTestbed({ onEnd }, undefined, version.migrations)
  const nodes: TestbedNode[] = []
  for (const environment of environments) nodes.push(await testbed.addNode(environment, version.program))
  const ports = nodes.map(({ smppPort }) => smppPort)
  const target = {
    digits: testbed.digits,
    url: nodes[0]?.url ?? '',
    ports,
    address: async () => testbed.address,
  }
  const { suppliers, periodic } = await startLoad({ onEnd, random }, target, load)
  return { testbed, nodes: nodes as { [Place in keyof E]: TestbedNode }, suppliers, periodic }
}
