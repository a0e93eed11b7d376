// Makes invalid bodies: first a body that fits its schema, which is then damaged as a value, as JSON or as bytes.
import type { Random } from './random.ts'

/** The subset of JSON schema that the API's document uses. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly minimum?: number
  readonly maximum?: number
}

export interface MadeBody {
  readonly bytes: Buffer
  readonly headers: Readonly<Record<string, string>>
}

// Valid texts of all kinds, so that some bodies pass their schemas.
const texts = [
  '1',
  '2-3',
  'payout-1',
  'someone',
  'someone@example.org',
  '447700900123',
  '0.05',
  '2026-03-04T12:00:00Z',
  '127.0.0.1',
  '127.0.0.0/8',
  'http://127.0.0.1:9/x',
  'Europe/London',
  'a'.repeat(64),
  'Number,Description,Rate,Status,Country,Country Code\n447700900123,,,,,',
  'reference,transaction_hash\n1-1,a',
]

/** Values that trip parsers, databases and regular expressions. */
const traps: readonly ((random: Random) => unknown)[] = [
  () => null,
  () => '',
  () => true,
  () => -1,
  () => 0,
  () => 1e308,
  () => 2 ** 53,
  () => 1e-7,
  () => '9'.repeat(400),
  () => '-0',
  () => '1e400',
  () => 'NaN',
  () => '\u0000',
  () => 'a\u0000b',
  () => '\ud800',
  () => '\udfff\ud800',
  () => '\u202e\u2066\ufeff',
  () => `a${'\u0301'.repeat(3_000)}`,
  () => '\u{1F468}\u200d\u{1F469}\u200d\u{1F467}',
  () => 'İıſK',
  () => '\uFB03\u212B\uFF11',
  () => "'; drop table users; --",
  () => '%_\\',
  () => '$1 {{7*7}} ${7*7}',
  () => '<img src=x onerror=alert(1)>',
  () => '=1+1\r\nX: y',
  () => `${'a'.repeat(40)}!`,
  () => ' '.repeat(5_000),
  (random) => 'x'.repeat(random.pick([100, 5_000, 100_000])),
  () => ({}),
  () => [],
  () => ({ toString: 'x', valueOf: 1 }),
  () => JSON.parse('{"__proto__":{"role":"admin"},"constructor":{"prototype":1}}') as unknown,
  (random) => nested(random.pick([5, 33, 400])),
  (random) => Array.from({ length: random.pick([2, 600, 21_000]) }, () => 1),
  (random) => Object.fromEntries(Array.from({ length: random.pick([50, 3_000]) }, (_, at) => [`k${at}`, at])),
]

function nested(depth: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

/** A value that may fit the schema. */
export function valueFor(schema: Schema, random: Random): unknown {
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) return valueFor(random.pick(choices), random)
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return random.pick(schema.enum)
  const [type = 'any'] = [schema.type].flat()
  if (type === 'object') return objectFor(schema, random)
  if (type === 'array')
    return Array.from({ length: random.below(3) }, () => valueFor(schema.items ?? {}, random))
  if (type === 'boolean') return random.chance(0.5)
  if (type === 'number' || type === 'integer') {
    const minimum = Math.max(schema.minimum ?? 0, 0)
    return minimum + random.below(Math.min(schema.maximum ?? 1_000, 1_000) - Math.min(minimum, 999) + 1)
  }
  return type === 'null' ? null : random.pick(texts)
}

function objectFor({ properties = {}, required = [] }: Schema, random: Random): object {
  const chosen = Object.entries(properties).filter(([name]) => required.includes(name) || random.chance(0.7))
  return Object.fromEntries(chosen.map(([name, field]) => [name, valueFor(field, random)]))
}

/** A copy of the value with something replaced, added or removed. */
function damaged(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || random.chance(0.1)) return random.pick(traps)(random)
  const names = Object.keys(value)
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>
  const name =
    names.length === 0 || random.chance(0.1)
      ? random.pick(['extra', '__proto__', '', 'id'])
      : random.pick(names)
  if (random.chance(0.15) && !Array.isArray(copy)) {
    delete copy[name]
    return copy
  }
  const put = random.chance(0.5) ? damaged(copy[name], random) : random.pick(traps)(random)
  // An own property, whatever its name.
  Object.defineProperty(copy, name, { value: put, enumerable: true, configurable: true, writable: true })
  return copy
}

type Spoil = (json: string, random: Random) => Buffer

const spoils: readonly Spoil[] = [
  (json, random) => Buffer.from(json.slice(0, random.below(json.length + 1))),
  (json, random) => {
    const bytes = Buffer.from(json)
    for (let count = random.between(1, 4); count > 0 && bytes.length > 0; count -= 1)
      bytes[random.below(bytes.length)] = random.below(256)
    return bytes
  },
  (json) => Buffer.from(`${json}${json}`),
  (json) => Buffer.from(`\uFEFF${json}`),
  (json) => Buffer.from(json, 'utf16le'),
  (json) => Buffer.from(`// x\n${json}`),
  (json) => Buffer.from(json.replaceAll('"', "'")),
  (json) => Buffer.from(json.replace(/}$/, ',}')),
  (json) => Buffer.from(json.replace(/^\{/, '{"a":1,"a":{"a":2},')),
  (json) => Buffer.from(json.replaceAll(/\d+/g, '1e999')),
  (json) => Buffer.from(json.replaceAll(/[aeiou]/g, '\\u0000')),
  (json) =>
    Buffer.concat([Buffer.from(json.slice(0, -1)), Buffer.from([0xc3, 0x28, 0xed, 0xa0, 0x80, 0xff])]),
  () => Buffer.from('['.repeat(8_000)),
  () => Buffer.from(`${'{"a":'.repeat(3_000)}1${'}'.repeat(3_000)}`),
  () => Buffer.alloc(0),
  () => Buffer.from('"text"'),
  () => Buffer.from('null'),
  (_, random) => random.bytes(random.between(1, 300)),
]

const json = 'application/json'
const types = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'multipart/form-data; boundary=x',
  `${json}; charset=utf-16`,
  'APPLICATION/JSON;;',
  `${json}, text/html`,
  'a'.repeat(500),
]

/** A body for this schema, invalid in one or several ways. */
export function badBody(schema: Schema, random: Random): MadeBody {
  let value = valueFor(schema, random)
  for (let count = random.between(0, 2); count > 0; count -= 1) value = damaged(value, random)
  const text = JSON.stringify(value) ?? ''
  const bytes = random.chance(0.25) ? random.pick(spoils)(text, random) : Buffer.from(text)
  const headers: Record<string, string> = { 'content-type': random.chance(0.05) ? random.pick(types) : json }
  if (random.chance(0.01)) headers['content-encoding'] = random.pick(['gzip', 'br', 'x'])
  if (random.chance(0.02)) headers['idempotency-key'] = random.pick(['one', 'two', 'x'.repeat(300)])
  return { bytes, headers }
}
