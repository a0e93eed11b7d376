// Replaces the server in web tests: answers by method and path, and records the requests.
import { defaultChoices } from '@tollgate/contract/users/preferences.ts'
import { vi } from 'vitest'
import { noteUnknownFields } from './known-fields.ts'

export interface ApiRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly body: unknown
  readonly headers: Headers
}

/** 'METHOD /path' → a JSON body, a Response, or a function that makes one from the request. */
export type ApiStubs = Record<string, object | string | null | ((request: ApiRequest) => unknown)>

function readBody(body: unknown): unknown {
  return typeof body === 'string' ? JSON.parse(body) : body
}

/** The calls that change something. */
export const sent = (requests: readonly ApiRequest[]) => requests.filter(({ method }) => method !== 'GET')

/** A refusal as the server sends it. */
export function refusal(status: number, body: Readonly<Record<string, unknown>>): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } })
}

/** What the shell asks on every page. */
const everywhere: Readonly<Record<string, Record<string, unknown>>> = {
  'GET /api/user/preferences': { ...defaultChoices, screens: {}, hasMail: true },
}

/**
 * Stubs fetch for this test: `{'GET /api/users': [...], 'POST /api/login': (request) => user}`. A Response is returned
 * unchanged. An unexpected call is answered with 599. Returns the list of requests.
 */
export function stubApi(answers: ApiStubs): ApiRequest[] {
  const log: ApiRequest[] = []
  vi.stubGlobal('fetch', async (input: string, init: RequestInit = {}) => {
    const url = new URL(input, 'http://console.test')
    const request: ApiRequest = {
      method: init.method ?? 'GET',
      path: url.pathname,
      query: url.searchParams,
      body: readBody(init.body),
      headers: new Headers(init.headers),
    }
    log.push(request)
    noteUnknownFields(request)
    const key = `${request.method} ${request.path}`
    if (!(key in answers) && key in everywhere) return refusal(200, everywhere[key] ?? {})
    if (!(key in answers)) return refusal(599, { code: 'unexpected', message: `No answer for ${key}` })
    const stub = answers[key]
    const answer: unknown =
      typeof stub === 'function' ? await (stub as (request: ApiRequest) => unknown)(request) : stub
    return answer instanceof Response ? answer : refusal(200, answer as Record<string, unknown>)
  })
  return log
}
