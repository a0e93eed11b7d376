// The repository's own rules, as functions of its files, so that each can be shown to find a breach.
import { dirname, join, normalize } from 'node:path'

/** Path (from the root, with slashes) to text. */
export type Files = ReadonlyMap<string, string>

/** Rooms of the server without business: any file of theirs may be used. */
const technical = ['platform', 'storage', 'http', 'files']

/** The way of each message and each cent; these rooms work without those beside them. */
const core = [
  'audit',
  'mail',
  'settings',
  'users',
  'terms',
  'numbers',
  'rates',
  'ledger',
  'ingest',
  'long-messages',
  'records',
  'tron',
  'billing',
  'endpoints',
  'gateway',
]

/** Server slices; each may import only those before it, through their index.ts. */
export const slices = [
  ...technical,
  'backup',
  'audit',
  'mail',
  'settings',
  'users',
  'terms',
  'numbers',
  'rates',
  'ledger',
  'ingest',
  'long-messages',
  'records',
  'live-feed',
  'analytics',
  'integrity',
  'tron',
  'billing',
  'adjustments',
  'amendments',
  'statements',
  'invoices',
  'treasury',
  'payment-runs',
  'books',
  'endpoints',
  'cdr',
  'providers',
  'gateway',
  'connections',
  'smpp-traffic',
  'alerts',
  'objects',
  'subscribers',
  // No slice but the programs that run beside the gateway: they may use everything, and nothing uses them.
  'programs',
]

/** Folders of the SMPP library and of the gateway slice, and which of the others each may import. */
const folderImports: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'smpp/src': {
    wire: [],
    values: ['wire'],
    tlv: ['wire', 'values'],
    pdu: ['wire', 'values', 'tlv'],
    text: ['wire', 'values'],
    session: ['wire', 'values', 'tlv', 'pdu'],
    net: ['wire', 'values', 'tlv', 'pdu', 'session'],
    client: ['wire', 'values', 'tlv', 'pdu', 'session', 'net', 'text'],
    conformance: ['wire', 'values', 'tlv', 'pdu', 'text'],
  },
  'server/src/gateway': {
    message: [],
    'flight-recorder': ['message'],
    'lost-answers': [],
    binds: ['lost-answers', 'message'],
    inbound: ['binds', 'lost-answers', 'message'],
    deliver: ['binds', 'message'],
    simulator: [],
  },
}

/** What code that ships may import besides its own workspace. The server may import any package it names. */
const outside: Readonly<Record<string, RegExp>> = {
  contract: /^zod$/,
  smpp: /^node:(net|tls|events|crypto)$/,
  web: /^(@tollgate\/contract\/|react|@tanstack\/|@fontsource|radix-ui$|lucide-react$|zod$|uqr$|@simplewebauthn\/browser$|@noble\/hashes\/|@hookform\/)/,
  server: /^(?!@tollgate\/(web|server)\/)/,
}

const importPattern =
  /^\s*(?:import|export)\s(?:[^'"]*?\bfrom\s+)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm

const isCode = (path: string) => /\.tsx?$/.test(path)
const isTest = (path: string) => /\.(test|e2e)\.tsx?$/.test(path)
/** Code of the product, without tests. */
export const isShipped = (path: string) =>
  isCode(path) && !isTest(path) && /^\w+\/src\//.test(path) && !path.includes('/testing/')

interface Import {
  readonly from: string
  readonly specifier: string
}

function importsOf(files: Files): Import[] {
  return [...files]
    .filter(([path]) => isCode(path))
    .flatMap(([from, text]) =>
      [...text.matchAll(importPattern)].map((match) => ({ from, specifier: match[1] ?? match[2] ?? '' })),
    )
}

/** Workspaces reach each other by name and only in the agreed directions. */
export function workspaceBreaches(files: Files): string[] {
  return importsOf(files).flatMap(({ from, specifier }) => {
    const [workspace = ''] = from.split('/')
    if (!(workspace in outside)) return []
    if (specifier.startsWith('.')) {
      const target = normalize(join(dirname(from), specifier))
      return target.startsWith(`${workspace}/`)
        ? []
        : [`${from}: reach another workspace by its name, not ${specifier}`]
    }
    const isAllowed = !isShipped(from) || outside[workspace]?.test(specifier) === true
    return isAllowed ? [] : [`${from}: ${workspace}/ may not import ${specifier}`]
  })
}

/** Server slices import only slices below them, and only through their index.ts. Platform has no index.ts. */
export function sliceBreaches(files: Files): string[] {
  return importsOf(files).flatMap(({ from, specifier }) => {
    const own = /^server\/src\/([^/]+)\//.exec(from)?.[1]
    // A test may set its scene with slices above its own.
    if (own === undefined || !isShipped(from) || !specifier.startsWith('.')) return []
    const target = normalize(join(dirname(from), specifier))
    const other = /^server\/src\/([^/]+)\//.exec(target)?.[1]
    if (other === undefined || other === own) return []
    if (!slices.includes(own)) return [`${from}: ${own}/ has no place in the order of slices`]
    if (slices.indexOf(other) > slices.indexOf(own))
      return [`${from}: ${own}/ may not import ${other}/, which stands above it`]
    if (core.includes(own) && !core.includes(other) && !technical.includes(other))
      return [`${from}: ${own}/ is core and may not import ${other}/, which stands beside it`]
    return technical.includes(other) || target === `server/src/${other}/index.ts`
      ? []
      : [`${from}: enter ${other}/ by its index.ts`]
  })
}

/** The folders of `folderImports` import each other in one direction. */
export function folderBreaches(files: Files): string[] {
  return importsOf(files).flatMap(({ from, specifier }) => {
    if (!isShipped(from) || !specifier.startsWith('.')) return []
    const target = normalize(join(dirname(from), specifier))
    return Object.entries(folderImports).flatMap(([root, uses]) => {
      const [own = '', other = ''] = [from, target].map((path) => path.slice(root.length + 1).split('/')[0])
      if (!from.startsWith(`${root}/`) || !target.startsWith(`${root}/`)) return []
      const isAllowed =
        own === other || !(own in uses) || !(other in uses) || uses[own]?.includes(other) === true
      return isAllowed ? [] : [`${from}: ${own}/ may not import ${other}/`]
    })
  })
}

type Edge = readonly [from: string, to: string]

/** The imports that are part of a circle: from their target an import leads back to their file. */
function circlesOf(all: readonly Edge[]): readonly Edge[] {
  let edges = all
  // Imports from or to a file at an end of a chain are removed until there are none: usually that leaves nothing.
  for (let count = -1; count !== edges.length;) {
    count = edges.length
    const [sources, targets] = [new Set(edges.map(([from]) => from)), new Set(edges.map(([, to]) => to))]
    edges = edges.filter(([from, to]) => sources.has(to) && targets.has(from))
  }
  const isReached = (from: string, to: string) => {
    const reached = new Set([from])
    for (const node of reached) for (const edge of edges) if (edge[0] === node) reached.add(edge[1])
    return reached.has(to)
  }
  return edges.filter(([from, to]) => isReached(to, from))
}

function edgesOf(files: Files): Edge[] {
  return importsOf(files)
    .filter(({ specifier }) => specifier.startsWith('.'))
    .map(({ from, specifier }) => [from, normalize(join(dirname(from), specifier))])
}

/** Files do not import each other in a circle, not even for types. */
export function circleBreaches(files: Files): string[] {
  return circlesOf(edgesOf(files)).map(([from, to]) => `${from}: its import of ${to} is part of a circle`)
}

/** The folder of a slice that a file is in; a file of the slice itself is in none. */
const folderOf = (path: string) => /^(?:(?:server|web)\/src\/[^/]+|smpp\/src)\/[^/]+(?=\/)/.exec(path)?.[0]

/** The folders of one slice do not import each other in a circle, even where their files do not. */
export function folderCircleBreaches(files: Files): string[] {
  const shipped = edgesOf(files).filter(([from]) => isShipped(from))
  const edges = shipped.flatMap(([from, to]): Edge[] => {
    const [own, other] = [folderOf(from), folderOf(to)]
    if (own === undefined || other === undefined || own === other || dirname(own) !== dirname(other))
      return []
    return [[own, other]]
  })
  return [...new Set(circlesOf(edges).map(([from, to]) => `${from}/: its use of ${to}/ is part of a circle`))]
}

const roleOf = (path: string) =>
  /(?:^|[/-])(routes|service|jobs|store|views|rules)\.ts$/.exec(path)?.[1] ?? ''

/** Files by their role, and what each must not know: the way from an HTTP call to the database points down. */
const above: Readonly<Record<string, readonly string[]>> = {
  service: ['routes', 'jobs'],
  store: ['routes', 'jobs', 'service'],
  views: ['routes', 'jobs', 'service'],
  rules: ['routes', 'jobs', 'service', 'store', 'views'],
}

/** Within a server slice routes and jobs call services, and services call stores; never the other way. */
export function roleBreaches(files: Files): string[] {
  return importsOf(files).flatMap(({ from, specifier }) => {
    if (
      !/^server\/src\/(?!(?:platform|storage|http|files)\/)/.test(from) ||
      !isShipped(from) ||
      !specifier.startsWith('.')
    )
      return []
    const target = normalize(join(dirname(from), specifier))
    // In platform a file name such as work/jobs.ts names a subject, not a role.
    if (technical.some((room) => target.startsWith(`server/src/${room}/`))) return []
    return above[roleOf(from)]?.includes(roleOf(target)) === true ? [`${from}: may not import ${target}`] : []
  })
}

/** Folders of the console without a slice of the server: its shared layers, its frame, and the pages that show many slices. */
const consoleOnly = [
  'api',
  'dashboard',
  'format',
  'gallery',
  'language',
  'money',
  'shell',
  'testing',
  'ui',
  'notifications',
  'payment',
]

/** A noun has one name on every side: a folder of the contract or of the console is called as its slice of the server. */
export function nameBreaches(files: Files): string[] {
  const folders = new Set(
    [...files.keys()].flatMap((path) => /^(?:contract|web)\/src\/[^/]+(?=\/)/.exec(path)?.[0] ?? []),
  )
  return [...folders]
    .filter((path) => {
      const name = path.slice(path.lastIndexOf('/') + 1)
      return !slices.includes(name) && !(path.startsWith('web/') && consoleOnly.includes(name))
    })
    .map((path) => `${path}/: no slice of the server has this name`)
}

/** What the console's shared layers may use. */
const webLayers: Readonly<Record<string, readonly string[]>> = {
  language: [],
  format: ['language'],
  ui: ['format', 'language'],
  api: ['ui', 'format', 'language'],
  money: ['api', 'ui', 'format', 'language'],
}

/** The console's slices, each of which may show components of those after it. The shell stands round all pages. */
const webSlices =
  'objects dashboard payment alerts smpp-traffic connections gateway providers cdr endpoints analytics terms settings subscribers rates numbers treasury payment-runs books invoices statements adjustments billing amendments integrity records shell notifications users audit'.split(
    ' ',
  )

// Routers, forms and queries would tie a control to one place.
const plainUi = /^@tanstack\/react-(router|query)|^react-hook-form|^@hookform\/|^@tollgate\//

function mayConsoleUse(own: string, other: string, target: string): boolean {
  const layer = webLayers[own]
  if (layer !== undefined) return layer.includes(other)
  if (other in webLayers) return true
  const [from, to] = [webSlices.indexOf(own), webSlices.indexOf(other)]
  return from !== -1 && to > from && other !== 'shell' && !target.endsWith('Page.tsx')
}

/** The console's layers and slices point one way, and a page is imported by the page table alone. */
export function consoleBreaches(files: Files): string[] {
  return importsOf(files).flatMap(({ from, specifier }) => {
    const own = /^web\/src\/([^/]+)\//.exec(from)?.[1]
    if (own === undefined || !isShipped(from)) return []
    if (!specifier.startsWith('.'))
      return own === 'ui' && plainUi.test(specifier) ? [`${from}: ui/ may not import ${specifier}`] : []
    const target = normalize(join(dirname(from), specifier))
    const isTop = /^web\/src\/(main|SignedIn|pages|router|nav)\.tsx?$/.test(target)
    const [, other = own] = /^web\/src\/([^/]+)\//.exec(target) ?? []
    return isTop || (other !== own && !mayConsoleUse(own, other, target))
      ? [`${from}: ${own}/ may not import ${target}`]
      : []
  })
}

/** An exported type has a name of its own, so that a jump to a symbol finds one. */
export function typeNameBreaches(files: Files): string[] {
  const homes = new Map<string, string[]>()
  for (const [path, text] of files)
    if (isShipped(path))
      for (const [, name = ''] of text.matchAll(/^export (?:abstract )?(?:interface|type|class) (\w+)/gm))
        homes.set(name, [...(homes.get(name) ?? []), path])
  return [...homes]
    .filter(([, paths]) => paths.length > 1)
    .flatMap(([name, paths]) => paths.map((path) => `${path}: another file exports a type ${name}, too`))
}

/** Deferred work is an issue, not a note in the code. */
export function noteBreaches(files: Files): string[] {
  // Spelt apart, so that the rule does not find itself.
  const note = new RegExp(`\\b(${['TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X', 'HA' + 'CK'].join('|')})\\b`)
  return [...files]
    .filter(([, text]) => note.test(text))
    .map(([path]) => `${path}: finish it, or open an issue`)
}

/** Figures are written as their reader chose, which only `format/` knows. Charts place their points with `toFixed`. */
export function figureBreaches(files: Files): string[] {
  const writes = /\.toFixed\(|\.toPrecision\(|\.toLocaleString\(|\bIntl\.NumberFormat\b/
  const mayWrite = /^web\/src\/(format|gallery|ui\/charts)\//
  return [...files]
    .filter(
      ([path, text]) =>
        path.startsWith('web/src/') && isShipped(path) && !mayWrite.test(path) && writes.test(text),
    )
    .map(([path]) => `${path}: write figures with formatDecimal or formatCount of format/`)
}

const roomLinesMax = 6_500

/** A person holds some six thousand lines in mind: a slice that grows beyond them is two. */
export function roomBreaches(files: Files): string[] {
  const lines = new Map<string, number>()
  for (const [path, text] of files) {
    const [, slice = ''] = /^server\/src\/([\w-]+)\//.exec(path) ?? []
    if (slice !== '' && isShipped(path) && !path.endsWith('.generated.ts'))
      lines.set(slice, (lines.get(slice) ?? 0) + text.split('\n').length - 1)
  }
  return [...lines]
    .filter(([, count]) => count > roomLinesMax)
    .map(
      ([slice, count]) =>
        `server/src/${slice}: ${count} lines are more than ${roomLinesMax}: find its natural cut`,
    )
}

/** At most six folders deep, or the path stops telling anything. */
export function depthBreaches(files: Files): string[] {
  return [...files.keys()].filter((path) => path.split('/').length > 6).map((path) => `${path}: too deep`)
}

const testWords: Readonly<Record<string, RegExp>> = {
  test: /^(long)?$/,
  'server test': /^(long|program|measured)?$/,
  e2e: /^(walk)?$/,
}

/**
 * The word before `.test` or `.e2e` says in which set a test runs; none is the quick one (CONTRIBUTING.md, Tests). With
 * another word nobody sees where it belongs. Programs are there for their own tests only.
 */
export function testNameBreaches(files: Files): string[] {
  return [...files].flatMap(([path, text]) => {
    const [, word = '', kind] = /\/[\w-]+(?:\.([\w.-]+))?\.(test|e2e)\.tsx?$/.exec(path) ?? []
    if (kind === undefined) return []
    const isServer = path.startsWith('server/')
    const isKnown =
      (kind === 'e2e') === path.startsWith('e2e/') &&
      testWords[kind === 'test' && isServer ? 'server test' : kind]?.test(word) === true
    if (!isKnown) return [`${path}: its name does not say in which set it runs`]
    return isServer && /\b(builtPrograms|startProgram|openQuietStand)\(/.test(text) && /^(long)?$/.test(word)
      ? [`${path}: it starts whole programs, so its name ends in .program.test.ts`]
      : []
  })
}

/** A doc comment stands directly on what it describes: a later insertion between them leaves it to a stranger. */
export function docCommentBreaches(files: Files): string[] {
  // A directive to the linter stands between the two.
  const orphan = /\/\*\*(?:(?!\*\/)[^])*\*\/[ \t]*\n[ \t]*(?=\n|\/\/(?! oxlint-)|\/\*|[)\]}]|import\b|$)/g
  return [...files]
    .filter(([path]) => isCode(path))
    .flatMap(([path, text]) =>
      [...text.matchAll(orphan)].map(
        ({ index }) => `${path}:${text.slice(0, index).split('\n').length}: a doc comment without its owner`,
      ),
    )
}

/** The environment is read where the process begins, and nowhere else. */
export function environmentBreaches(files: Files): string[] {
  const allowed =
    /^server\/src\/(main|run-gateway)\.ts$|^server\/src\/programs\/|^server\/src\/storage\/embedded\/initdb\.ts$/
  return [...files]
    .filter(([path, text]) => isShipped(path) && !allowed.test(path) && /\bprocess\.env\b/.test(text))
    .map(([path]) => `${path}: take it from platform/process/config.ts`)
}
