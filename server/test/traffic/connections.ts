// Links to stand-in gateways on a real database: a node that holds them, and an admin who calls their routes.
import { afterAll, expect } from 'vitest'
import type { HttpMethod } from '@tollgate/contract/route.ts'
import { createTestAudit } from '../people/audit.ts'
import {
  createConnections,
  type ConnectionStatusChange,
  type Connections,
} from '../../src/connections/index.ts'
import { FlightRecorder } from '../../src/gateway/index.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { createEgress } from '../../src/platform/security/egress.ts'
import { createSecrets } from '../../src/platform/security/secrets.ts'
import { openTestApi, type TestAnswer } from '../http/api.ts'
import { openTestGateway } from './gateway.ts'
import { silentLog } from '../environment/database.ts'
import type { StandInSmsc } from '../stand-ins/smsc.ts'

/** Opens the environment; all of it ends after the test file. */
export async function openTestConnections() {
  const environment = await openTestGateway()
  const { db, node } = environment
  const published: ConnectionStatusChange[] = []
  // The pauses before a message that was not taken goes again.
  const sendPausesMs = [300, 600]
  // The timers of links that begin from now on.
  const settings = { sessionInitMs: 1_000, responseMs: 1_000, enquireLinkMs: 500 }
  const secrets = createSecrets('key material for connections')
  let made = 0

  /** Another node on the same database, not started. */
  function newNode(name: string): Connections {
    const flight = new FlightRecorder(db, silentLog, name, 200)
    flight.start()
    afterAll(() => flight.stop())
    const connections = createConnections({
      flight,
      db,
      log: silentLog,
      audit: createTestAudit({ db, clock: systemClock }),
      secrets,
      egress: createEgress(['127.0.0.1/32']),
      messages: node.ingest,
      holds: node.holds,
      node: name,
      holdsLinks: true,
      publish: (item) => published.push(item),
      sendPausesMs,
      pace: { lookEveryMs: 100, reportEveryMs: 200 },
      settings,
    })
    afterAll(() => connections.stop())
    return connections
  }

  const first = newNode('first')
  await first.start()
  const api = await openTestApi(first.routes)
  const { userId } = await environment.account()
  const asAdmin = api.as({ userId, username: 'root', role: 'admin' })

  /** Calls the routes as an admin. */
  const call = (method: HttpMethod, path = '', body?: unknown) =>
    asAdmin(method, `/api/smpp-connections${path}`, body)

  /** The link as the list has it; undefined when it is gone. */
  const read = async (id: string): Promise<TestAnswer['body']> =>
    (await call('GET')).body.find((each: { id: string }) => each.id === id)

  return {
    ...environment,
    /** The node that holds the links, and answers the calls. */
    first,
    /** The events that were published to the console. */
    published,
    sendPausesMs,
    settings,
    newNode,
    call,
    /** Adds a link named link1, link2 …, and gives its id. */
    add: async (smsc: StandInSmsc, over: object = {}): Promise<string> => {
      const answer = await call('POST', '', {
        name: `link${(made += 1)}`,
        host: '127.0.0.1',
        port: smsc.port,
        systemId: 'tollgate',
        password: 'pass1234',
        ...over,
      })
      expect(answer.status, answer.text).toBe(201)
      return answer.body.id
    },
    read,
    /** Waits until the link shows all of this. */
    shows: (id: string, state: object, timeout = 30_000) =>
      expect.poll(() => read(id), { timeout }).toMatchObject(state),
  }
}
