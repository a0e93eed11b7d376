// Bad input for every field of every body and query, generated from the contract: a field that is added is walked too.
import { expect, test } from 'vitest'
import { z } from 'zod'
import { Refusal } from '@tollgate/contract/errors.ts'
import type { Route } from '@tollgate/contract/route.ts'
import { unknownFields } from '@tollgate/contract/unknown-fields.ts'
import { bodyLimitOf, defaultBodyLimitBytes } from './json-body.ts'
import { parseInput, type InputPart } from './parse.ts'
import { allRoutes } from '../../test/http/all-routes.ts'

interface Shape {
  readonly type?: string | readonly string[]
  readonly anyOf?: readonly Shape[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly properties?: Readonly<Record<string, Shape>>
  readonly required?: readonly string[]
  readonly items?: Shape
  readonly maxItems?: number
  readonly maxLength?: number
}

interface Field {
  readonly path: readonly string[]
  readonly shapes: readonly Shape[]
  readonly isRequired: boolean
}

/** The field's alternatives. */
function alternatives(shape: Shape): readonly Shape[] {
  return shape.anyOf?.flatMap(alternatives) ?? [shape]
}

/** All fields, those of objects and lists within included; a list's entries are called 0. */
function fieldsOf(shape: Shape, path: readonly string[] = []): Field[] {
  const within = alternatives(shape).flatMap((one) => [
    ...Object.entries(one.properties ?? {}).flatMap(([name, field]) => [
      {
        path: [...path, name],
        shapes: alternatives(field),
        isRequired: one.required?.includes(name) === true,
      },
      ...fieldsOf(field, [...path, name]),
    ]),
    ...(one.items === undefined
      ? []
      : [
          { path: [...path, '0'], shapes: alternatives(one.items), isRequired: false },
          ...fieldsOf(one.items, [...path, '0']),
        ]),
  ])
  return within
}

/** A body that has this value at this place and nothing else. */
function bodyWith(path: readonly string[], value: unknown): unknown {
  const [name, ...rest] = path
  if (name === undefined) return value
  const inner = bodyWith(rest, value)
  return name === '0' ? [inner] : { [name]: inner }
}

/** The error at the field; undefined when its value is accepted, whatever other fields get. */
function saidOf(part: InputPart, route: Route, path: readonly string[], value: unknown): string | undefined {
  try {
    parseInput(part, route, bodyWith(path, value))
    return undefined
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const expected = path.join('.')
    const found = Object.entries(error.fields ?? {}).find(
      ([name]) => name === expected || name.startsWith(`${expected}.`) || expected.startsWith(`${name}.`),
    )
    return found?.[1]
  }
}

const examples: Readonly<Record<string, readonly unknown[]>> = {
  string: ['text'],
  number: [5],
  boolean: [true, false],
  array: [[], [5], ['text']],
  object: [{}, { toString: 'x' }],
  null: [null],
}
const kindsOf = ({ type = 'any' }: Shape): string[] =>
  [type].flat().map((kind) => (kind === 'integer' ? 'number' : kind))

// Files and pasted files have a limit of their own, which the service knows.
const unlimited = new Set(['data'])
// A correction may take money away.
const mayBeNegative = new Set(['POST /api/billing/adjustments amount'])
// What a setting may be depends on which it is: the service knows.
const anyText = new Set(['PUT /api/admin/settings/{key} settingValue'])

interface Walked extends Field {
  readonly call: string
  readonly part: InputPart
  readonly route: Route
}

const routes = (await allRoutes()).map(([, route]) => route)
const walked: Walked[] = routes.flatMap((route) =>
  (['body', 'query'] as const).flatMap((part) => {
    const schema = route[part]
    if (schema === undefined) return []
    const shape = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Shape
    return fieldsOf(shape).map((field) => ({
      ...field,
      call: `${route.method} ${route.path}`,
      part,
      route,
    }))
  }),
)

function nameOf({ call, path }: Walked): string {
  return `${call} ${path.join('.')}`
}

function accepts(field: Walked, kind: string): boolean {
  return field.shapes.some((shape) => kindsOf(shape).some((own) => own === kind || own === 'any'))
}

/** Those of the fields that accept the value. */
function taking(fields: readonly Walked[], values: readonly unknown[]): string[] {
  return fields.flatMap((field) =>
    values
      .filter((value) => saidOf(field.part, field.route, field.path, value) === undefined)
      .map((value) => `${nameOf(field)}: ${JSON.stringify(value)?.slice(0, 40)}`),
  )
}

// What is shorter than this has a pattern instead of a length: ids, dates, amounts, words.
const shortTextBytes = 20

/** Bytes of the largest JSON text that the schema takes, its texts in ASCII. */
function largestBytes(shape: Shape): number {
  const sizes = alternatives(shape).map((one) => {
    if (one.items !== undefined) return 2 + (one.maxItems ?? 1) * (largestBytes(one.items) + 1)
    const fields = Object.entries(one.properties ?? {})
    if (fields.length > 0)
      return 2 + fields.reduce((sum, [name, field]) => sum + name.length + 4 + largestBytes(field), 0)
    return one.type === 'string' ? 2 + Math.min(one.maxLength ?? shortTextBytes, 10_000) : 16
  })
  return Math.max(...sizes)
}

test('the largest body that a route describes fits into its limit, and no limit is far larger', () => {
  const bodies = routes.filter(({ body }) => body !== undefined)
  expect(bodies.length).toBeGreaterThan(50)
  for (const route of bodies) {
    const shape = z.toJSONSchema(route.body as z.ZodType, { io: 'input', unrepresentable: 'any' }) as Shape
    const bytes = largestBytes(shape)
    expect(bytes, `${route.method} ${route.path}`).toBeLessThanOrEqual(bodyLimitOf(route))
    if (bodyLimitOf(route) > defaultBodyLimitBytes && route.upload !== true)
      expect(bytes * 5, `${route.method} ${route.path}`).toBeGreaterThan(bodyLimitOf(route))
  }
})

test('whatever strangers may send is small', () => {
  const open = routes.filter(({ access, method }) => access === 'public' && method !== 'GET')
  expect(open.map(({ path }) => path)).toContain('/api/login')
  for (const route of open) expect(bodyLimitOf(route), route.path).toBeLessThanOrEqual(defaultBodyLimitBytes)
})

test('the contract has fields to walk', () => {
  expect(walked.length).toBeGreaterThan(150)
  expect(new Set(walked.map(({ call }) => call)).size).toBeGreaterThan(60)
})

test.each(Object.keys(examples))('a %s where none belongs is refused at its field', (kind) => {
  const wrong = walked.filter((field) => !accepts(field, kind))
  expect(taking(wrong, examples[kind] ?? [])).toEqual([])
})

test('a name that no route knows is refused by that name, in every query, body and object within', () => {
  const named = { nobodyKnowsMe: '' }
  for (const route of routes)
    for (const part of ['query', 'body'] as const)
      expect(saidOf(part, route, ['nobodyKnowsMe'], ''), `${route.method} ${route.path}`).toBe(
        'Not a field of this call',
      )
  const objects = walked.filter(({ shapes }) => shapes.every(({ properties }) => properties !== undefined))
  expect(objects.length).toBeGreaterThan(1)
  for (const field of objects)
    expect(saidOf(field.part, field.route, [...field.path, 'nobodyKnowsMe'], ''), nameOf(field)).toBe(
      'Not a field of this call',
    )
  const proto = routes.find(({ path }) => path === '/api/login') as Route
  expect(() => parseInput('body', proto, JSON.parse('{"__proto__": 1, "constructor": 2}'))).toThrow(
    expect.objectContaining({
      fields: expect.objectContaining({ constructor: 'Not a field of this call' }) as object,
    }),
  )
  expect(() => parseInput('body', proto, named)).toThrow(Refusal)
})

test('a change may send back the fields of the object that it answers with, and nothing else', () => {
  const changes = routes.filter(({ method, body }) => ['PUT', 'PATCH'].includes(method) && body !== undefined)
  const fields = changes.flatMap((route) => {
    const shape = z.toJSONSchema(route.response ?? z.object({}), { unrepresentable: 'any' }) as Shape
    return Object.keys(shape.properties ?? {}).map((name) => ({ route, name }))
  })
  expect(fields.length).toBeGreaterThan(200)
  for (const { route, name } of fields) expect(unknownFields(route, 'body', { [name]: null })).toEqual([])
})

test('of thousands of unknown names twenty are told', () => {
  const many = Object.fromEntries(Array.from({ length: 4_000 }, (_, at) => [`n${at}`, at]))
  const login = routes.find(({ path }) => path === '/api/login') as Route
  expect(unknownFields(login, 'body', many)).toHaveLength(20)
})

test('a field that is needed and missing is named', () => {
  const needed = walked.filter(({ isRequired, path }) => isRequired && path.length === 1)
  expect(taking(needed, [undefined])).toEqual([])
})

test('a word that is none of the choices is refused', () => {
  const choices = walked.filter(({ shapes }) => shapes.some((shape) => shape.enum !== undefined))
  expect(choices.length).toBeGreaterThan(30)
  expect(taking(choices, ['nonsense', '', 'ACTIVE '])).toEqual([])
})

test('no text is without a limit', () => {
  const texts = walked.filter((field) => accepts(field, 'string') && !unlimited.has(field.path.at(-1) ?? ''))
  expect(taking(texts, ['x'.repeat(100_000)])).toEqual([])
})

test('no list is without a limit', () => {
  const lists = walked.filter((field) => accepts(field, 'array'))
  expect(taking(lists, [Array.from({ length: 100_000 }, () => '1')])).toEqual([])
})

test('the character U+0000 is refused wherever a text is taken', () => {
  const texts = walked.filter((field) => accepts(field, 'string'))
  expect(taking(texts, ['a\u0000b'])).toEqual([])
})

test('what only JavaScript takes for a number is none, and nothing counts below nothing', () => {
  const numbers = walked.filter((field) => accepts(field, 'number') && !anyText.has(nameOf(field)))
  expect(numbers.length).toBeGreaterThan(20)
  expect(taking(numbers, ['0x10', '1e2', 'ten', '1,5', '\u0665', [5], true])).toEqual([])
  const filled = numbers.filter(({ shapes }) => shapes.every((shape) => shape.const !== ''))
  expect(taking(filled, ['', ' '])).toEqual([])
  const signed = numbers.filter((field) => !mayBeNegative.has(nameOf(field)))
  expect(taking(signed, [-1, '-1'])).toEqual([])
})

test('markup, formulas and all scripts are either taken or refused at their field', () => {
  const texts = walked.filter((field) => accepts(field, 'string'))
  for (const field of texts)
    for (const value of [
      '<script>alert(1)</script>',
      '=HYPERLINK("http://example.org")',
      "'; drop table users; --",
      'Zo\u00eb \u{1F4DE} \u202e\u05e9\u05dc\u05d5\u05dd',
      '__proto__',
    ])
      // Anything but a Refusal that names the field comes out of saidOf as an error, or as another field's fault.
      expect(() => saidOf(field.part, field.route, field.path, value)).not.toThrow()
})
