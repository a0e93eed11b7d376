import { routes } from '@tollgate/contract/route.ts'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { setCatalogue } from '../language/t.ts'
import { refusal, stubApi } from '../testing/api-stub.ts'
import { ApiError, messageOf } from './api-error.ts'
import { call, callPage, nextCursorOf, toQueryString, urlOf } from './call.ts'

const { list, rename, remove } = routes({
  list: {
    method: 'GET',
    path: '/api/things',
    summary: 'Things.',
    access: 'signedIn',
    query: z.object({
      search: z.string().optional(),
      limit: z.number().optional(),
      cursor: z.string().optional(),
    }),
    response: z.array(z.object({ id: z.string() })),
  },
  rename: {
    method: 'PUT',
    path: '/api/things/{id}',
    summary: 'Rename.',
    access: 'signedIn',
    params: z.object({ id: z.string() }),
    body: z.object({ name: z.string() }),
    response: z.object({ id: z.string() }),
  },
  remove: {
    method: 'DELETE',
    path: '/api/things/{id}',
    summary: 'Remove.',
    access: 'signedIn',
    params: z.object({ id: z.string() }),
  },
})

describe('call', () => {
  test('fills the path, sends JSON and gives the parsed answer without what the contract does not name', async () => {
    const requests = stubApi({ 'PUT /api/things/a%2Fb': { id: 'a/b', secret: 'no' } })
    expect(await call(rename, { params: { id: 'a/b' }, body: { name: 'new' } })).toEqual({ id: 'a/b' })
    expect(requests[0]).toMatchObject({ method: 'PUT', body: { name: 'new' } })
  })

  test('leaves out empty filters', async () => {
    expect(toQueryString({ search: '', client: undefined, status: null, limit: 0, on: false })).toBe(
      '?limit=0&on=false',
    )
    expect(urlOf(list, { query: { search: '+44 9' } })).toBe('/api/things?search=%2B44+9')
  })

  test('gives undefined for an answer without body', async () => {
    stubApi({ 'DELETE /api/things/1': new Response(null, { status: 204 }) })
    expect(await call(remove, { params: { id: '1' } })).toBeUndefined()
  })

  test("a refusal's message is its status, a colon, a space and the body", async () => {
    const body = {
      code: 'invalid',
      message: 'Check the fields.',
      fields: { name: 'Too short' },
      requestId: 'r1',
    }
    stubApi({ 'PUT /api/things/1': refusal(422, body) })
    const error: unknown = await call(rename, { params: { id: '1' }, body: { name: '' } }).catch(
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({
      status: 422,
      code: 'invalid',
      fields: { name: 'Too short' },
      requestId: 'r1',
    })
    expect((error as ApiError).message).toBe(`422: ${JSON.stringify(body)}`)
    expect(messageOf(error)).toBe('Check the fields.')
  })

  test('an empty refusal reads as its status text, an HTML one is not shown to people', async () => {
    stubApi({
      'GET /api/things': new Response('', { status: 502, statusText: 'Bad Gateway' }),
      'DELETE /api/things/1': new Response('<html>', { status: 503, statusText: 'Service Unavailable' }),
    })
    await expect(call(list)).rejects.toThrow('502: Bad Gateway')
    const error: unknown = await call(remove, { params: { id: '1' } }).catch((thrown: unknown) => thrown)
    expect((error as ApiError).message).toBe('503: <html>')
    expect(messageOf(error)).toBe('Service Unavailable')
  })

  test('an answer that breaks the contract is an error, not half a page', async () => {
    stubApi({ 'GET /api/things': [{ id: 7 }] })
    const error: unknown = await call(list).catch((thrown: unknown) => thrown)
    expect(messageOf(error)).toBe(
      'This page does not understand the answer: the gateway may have been upgraded. Reload the page.',
    )
  })

  test.each([
    ['{"id":7}', 'This page does not understand the answer: the gateway may have been upgraded.'],
    ['<!doctype html>', 'Something between this browser and the gateway has answered in its place.'],
  ])(
    'an answer to a change that is not read, %s, does not say that nothing was done',
    async (body, fault) => {
      stubApi({ 'PUT /api/things/1': new Response(body) })
      const error: unknown = await call(rename, { params: { id: '1' }, body: { name: '' } }).catch(
        (thrown: unknown) => thrown,
      )
      expect(messageOf(error)).toBe(
        `${fault} Reload the page. It may still do what you asked for: check before you repeat it.`,
      )
    },
  )

  test('a page that a proxy puts in place of the answer is named as that', async () => {
    stubApi({ 'GET /api/things': new Response('<!doctype html>') })
    const error: unknown = await call(list).catch((thrown: unknown) => thrown)
    expect(messageOf(error)).toBe(
      'Something between this browser and the gateway has answered in its place. Reload the page.',
    )
  })

  test('a server that does not answer in time is said in the language of the reader', async () => {
    vi.useFakeTimers()
    onTestFinished(() => {
      vi.useRealTimers()
      setCatalogue({})
    })
    setCatalogue({ 'The server has not answered for {seconds} s.': 'אין תשובה כבר {seconds} שניות.' })
    vi.stubGlobal(
      'fetch',
      (_: unknown, { signal }: RequestInit) =>
        new Promise((_resolve, reject) =>
          signal?.addEventListener('abort', () => reject(signal.reason as Error)),
        ),
    )
    const failed = call(list).catch((thrown: unknown) => thrown)
    await vi.advanceTimersByTimeAsync(30_000)
    expect(messageOf(await failed)).toBe('אין תשובה כבר 30 שניות. Try again.')
  })

  test('a call without any answer has a readable error', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')))
    const error: unknown = await call(list).catch((thrown: unknown) => thrown)
    expect(messageOf(error)).toBe('The server cannot be reached. Check your connection.')
  })

  test('a change without any answer may have been made', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')))
    const change = { ...list, method: 'DELETE' } as const
    const error: unknown = await call(change).catch((thrown: unknown) => thrown)
    expect(messageOf(error)).toBe(
      'The server cannot be reached. Check your connection. It may still do what you asked for: check before you repeat it.',
    )
  })
})

describe('pages', () => {
  test('the next cursor comes from the Link header', async () => {
    stubApi({
      'GET /api/things': new Response('[{"id":"1"}]', {
        headers: { link: '</api/things?limit=1&cursor=a%2Bb>; rel="next"' },
      }),
    })
    expect(await callPage(list)).toEqual({ rows: [{ id: '1' }], nextCursor: 'a+b' })
  })

  test.each([
    [null, undefined],
    ['</api/things?cursor=x>; rel="prev"', undefined],
    ['</a?cursor=p>; rel="prev", </a?cursor=n>; rel="next"', 'n'],
    ['<https://gate.example/api/things?cursor=z>; rel=next', 'z'],
  ])('%s gives %s', (link, cursor) => expect(nextCursorOf(link)).toBe(cursor))
})
