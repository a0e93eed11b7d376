// Makes the tables and types of the client from the contract: every call that an API key may make, and nothing by hand.
import { connectionsRoutes } from '@tollgate/contract/connections/connections.ts'
import { ownEndpointsRoutes } from '@tollgate/contract/endpoints/endpoints.ts'
import { ownTrafficRoutes } from '@tollgate/contract/smpp-traffic/smpp-traffic.ts'
import { liveFeedRoutes } from '@tollgate/contract/live-feed/live-feed.ts'
import { recordsRoutes } from '@tollgate/contract/records/records.ts'
import type { Route } from '@tollgate/contract/route.ts'
import { z } from 'zod'
import type { Operation } from './runtime.ts'
import { typeOf } from './write-types.ts'

const tables: readonly Readonly<Record<string, Route>>[] = [
  recordsRoutes,
  liveFeedRoutes,
  connectionsRoutes,
  ownEndpointsRoutes,
  ownTrafficRoutes,
]

/** The calls that a key may make, by name. */
export const keyRoutes: readonly (readonly [string, Route])[] = tables
  .flatMap((table) => Object.entries(table))
  .filter(([, { scope }]) => scope !== undefined)

/** The table that the client's code works with. */
export function writeOperations(): string {
  return JSON.stringify(
    Object.fromEntries(
      keyRoutes.map(([name, route]): [string, Operation] => [
        name,
        {
          method: route.method,
          path: route.path,
          answer: answerOf(route),
          isIdempotent: route.isIdempotent === true,
        },
      ]),
    ),
  )
}

const streamAnswers = { csv: 'text', events: 'events', file: 'bytes' } as const

function answerOf({ stream, response, isPaged }: Route): Operation['answer'] {
  if (stream !== undefined) return streamAnswers[stream]
  if (response === undefined) return 'nothing'
  return isPaged === true ? 'page' : 'json'
}

/** The declarations of the package. `publicTypes` is the text of public-types.ts. */
export function writeDeclarations(publicTypes: string): string {
  return `${publicTypes}
/** A refusal: what happened and what to do. */
export declare class TollgateError extends Error {
  readonly status: number
  readonly code: string
  readonly fields: Readonly<Record<string, string>>
}

/** A client with one method for each call that a key may make. */
export declare function createClient(options: ClientOptions): TollgateClient

/** Every item of a list, page by page. */
export declare function itemsOf<List extends (input: never) => Promise<Page<unknown>>>(
  list: List,
  input?: Parameters<List>[0],
): AsyncGenerator<Awaited<ReturnType<List>>['items'][number]>

export interface TollgateClient {
${keyRoutes.map(([name, route]) => method(name, route)).join('\n')}
}
`
}

function method(name: string, route: Route): string {
  const parts = (['params', 'query', 'body'] as const).flatMap((part) => {
    const schema = route[part]
    if (schema === undefined) return []
    const type = typeOf(jsonSchema(schema, 'input'))
    // A part whose fields are all optional may be left out itself.
    return [{ part, type, isNeeded: !schema.safeParse({}).success }]
  })
  const fields = parts.map(({ part, type, isNeeded }) => `${part}${isNeeded ? '' : '?'}: ${type}`)
  const isNeeded = parts.some((part) => part.isNeeded)
  const input = `input${isNeeded ? '' : '?'}: ${fields.length === 0 ? '' : `{ ${fields.join('; ')} } & `}CallOptions`
  return `  /** ${route.summary} Scope ${route.scope ?? ''}. */\n  ${name}(${input}): Promise<${answerType(route)}>`
}

function answerType(route: Route): string {
  const answer = answerOf(route)
  if (answer === 'nothing') return 'void'
  if (answer === 'text') return 'string'
  if (answer === 'bytes') return 'ArrayBuffer'
  if (answer === 'events') return 'AsyncGenerator<FeedEvent>'
  const type = typeOf(jsonSchema(route.response ?? z.unknown(), 'output'))
  return answer === 'page' ? `Page<${type.replace(/^\((.*)\)\[\]$/s, '$1')}>` : type
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): object {
  return z.toJSONSchema(schema, { io, unrepresentable: 'any' })
}
