// The words of other languages are complete: what the console says in English has its translation, and no more.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { parseSync } from 'vite'

const root = resolve(import.meta.dirname, '..')
const sourcesIn = (...folders: string[]) =>
  execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...folders], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((path) => /\.tsx?$/.test(path) && !/\.test\.|\/language\/t\.ts$/.test(path))
const sources = sourcesIn('web/src')

interface Node {
  readonly type?: string
  readonly start?: number
  readonly end?: number
  readonly value?: unknown
  readonly [part: string]: unknown
}

/** The program of a source, read once. */
const programs = new Map<string, Node>()
function programOf(path: string): Node {
  const kept = programs.get(path)
  if (kept !== undefined) return kept
  const text = readFileSync(join(root, path), 'utf8')
  const { program } = parseSync(path, text, { lang: path.endsWith('x') ? 'tsx' : 'ts' })
  programs.set(path, program as unknown as Node)
  return program as unknown as Node
}

// Functions of the console that say a text, with the places of the English words among their arguments.
const saying = new Map<string, readonly number[]>([
  ['t', [0]],
  ['tNodes', [0]],
  ['counted', [1, 2]],
])

/** The English words of each call that says a text, as they stand in it: `t('…')`, `counted(count, '1 row', '{count} rows')`. */
const calls = new Map<string, readonly (readonly [called: string, words: string])[]>()
function callsIn(path: string): readonly (readonly [called: string, words: string])[] {
  const kept = calls.get(path)
  if (kept !== undefined) return kept
  const found: [string, string][] = []
  const walk = (node: Node): void => {
    if (node.type === 'CallExpression') {
      const called = nameOf(node['callee'])
      for (const place of saying.get(called) ?? [0]) {
        const words = (node['arguments'] as readonly Node[])[place]?.value
        if (called !== '' && typeof words === 'string') found.push([called, words])
      }
    }
    for (const part of childrenOf(node)) walk(part)
  }
  walk(programOf(path))
  calls.set(path, found)
  return found
}

/** What each status of SMPP means: `ESME_RBINDFAIL: [0x0d, 'Bind failed'],` and texts with the code in brackets. */
function meaningsIn(path: string): string[] {
  const text = readFileSync(join(root, path), 'utf8')
  return [...text.matchAll(/\[0x\w+, '(.+)'\]|`([A-Z][^`$]+) \(\$\{hex\}\)`/g)].map(
    ([, named, other]) => named ?? other ?? '',
  )
}

const textsOf = (called: string, paths: readonly string[]) =>
  paths.flatMap(callsIn).flatMap(([name, words]) => (name === called ? [words] : []))
// What the server says, and the console in the language of its reader. Peers say it by the status of a PDU.
const said = new Set([
  ...['sentence', 'spoken'].flatMap((called) => textsOf(called, sourcesIn('contract/src', 'server/src'))),
  ...meaningsIn('smpp/src/values/command-status.ts'),
])
const shown = [...saying.keys()].flatMap((called) => textsOf(called, sources))
const english = new Set([
  ...shown,
  ...said,
  ...sourcesIn('contract/src', 'server/src').filter(isSpoken).flatMap(spokenIn),
])

test('each template of a kept text is in use', () => {
  const kept = new Set(textsOf('spoken', ['contract/src/kept-texts.ts']))
  const used = new Set([
    ...textsOf('keptText', sourcesIn('server/src')),
    ...textsOf('sentence', sourcesIn('contract/src')),
  ])
  expect(kept.size).toBeGreaterThan(20)
  expect([...kept].filter((text) => !used.has(text))).toEqual([])
})

const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).toSorted()

test.each(['he'])(
  'the catalogue %s has every text of the console, with the same values in it',
  (language) => {
    const words = JSON.parse(readFileSync(join(root, `web/src/language/${language}.json`), 'utf8')) as Record<
      string,
      string
    >
    expect(english.size).toBeGreaterThan(2_000)
    expect(said.size).toBeGreaterThan(100)
    expect([...english].filter((text) => words[text] === undefined)).toEqual([])
    expect(Object.keys(words).filter((text) => !english.has(text))).toEqual([])
    const differing = Object.entries(words).filter(
      ([text, translated]) => placeholders(text).join() !== placeholders(translated).join(),
    )
    expect(differing).toEqual([])
  },
)

// Names, not words: keys of keyboards, systems, and what programs read.
const names = new Set([
  'Esc',
  'Escape',
  'Enter',
  'English',
  'Android',
  'Mac',
  'Windows',
  'Linux',
  'Adjustment',
  // What an act is about, as calls name it.
  'payout',
  'ApiError',
  '· Tollgate',
])
const readByPrograms = new Set(['Line,Number,Field,Problem', 'xMinYMid slice', 'main input[type="search"]'])
const looks = /^(className|\w*ClassName|style|d|viewBox|name|type|key)$/
const isExample = (path: string) => /\/(testing|gallery|language)\//.test(path)

/** What may be read as English: a capitalised word, or two words that are no class names. */
function isEnglish(text: string): boolean {
  if (names.has(text.trim()) || readByPrograms.has(text)) return false
  return (
    /^\W*[A-Z][a-z]+([ .:,]|$)|^(\d+|,)? [a-z]{3,}( |$)|^\d+ [a-z]{3,}$/.test(text) ||
    // Beside a value in a template: "of", "exactly ".
    /^ (of|to|from|in|by|at|is|and|or) $|^[a-z]{4,} $|^ \/ min$/.test(text) ||
    (/[a-z]{2,} [a-z]{2,}/.test(text) && !/\w[-:[]\w|\b(flex|grid)\b/.test(text))
  )
}

/** Words of the console that do not go through `t()`, each with its line. */
function untranslatedIn(path: string): string[] {
  const text = readFileSync(join(root, path), 'utf8')
  const found: string[] = []
  const say = (node: Node, words: string) =>
    found.push(`${path}:${text.slice(0, node.start).split('\n').length} ${words.trim()}`)
  const walk = (node: Node): void => {
    if (isNoText(node)) return
    if (node.type === 'JSXText' && /[A-Za-z]{2}/.test(String(node.value))) say(node, String(node.value))
    if (node.type === 'Literal' && typeof node.value === 'string' && isEnglish(node.value))
      say(node, node.value)
    if (node.type === 'TemplateElement') {
      const { cooked } = node.value as { readonly cooked: string }
      if (isEnglish(cooked)) say(node, cooked)
    }
    for (const words of chosenIn(node)) say(node, words)
    for (const part of Object.values(node))
      for (const each of Array.isArray(part) ? part : [part])
        if (typeof each === 'object' && each !== null) walk(each as Node)
  }
  walk(programOf(path))
  return found
}

/** `${count} ${count === 1 ? 'row' : 'rows'}`: a word that is chosen by a figure before it. */
function chosenIn(template: Node): string[] {
  if (template.type !== 'TemplateLiteral') return []
  const quasis = template['quasis'] as readonly { readonly value: { readonly cooked: string } }[]
  return (template['expressions'] as readonly Node[]).flatMap(({ type, consequent }, at) => {
    const word = (consequent as Node | undefined)?.value
    const isChosen = type === 'ConditionalExpression' && quasis[at]?.value.cooked.endsWith(' ') === true
    return isChosen && typeof word === 'string' && /^[a-z]{3,}$/.test(word) ? [word] : []
  })
}

/** What nobody reads: types, imports, comparisons, errors of programmers, looks, `t()` itself, and what stands in <code>. */
function isNoText(node: Node): boolean {
  if (node.type === 'JSXElement') return nameOf((node['openingElement'] as Node)['name']) === 'code'
  if (node.type === 'CallExpression')
    return /^(t|tNodes|counted|classNames|lazyComponent|enterSecretAgain)$/.test(nameOf(node['callee']))
  if (node.type === 'NewExpression') return nameOf(node['callee']).endsWith('Error')
  if (node.type === 'BinaryExpression') return /^[=!]==$/.test(String(node['operator']))
  if (node.type === 'JSXAttribute') return looks.test(nameOf(node['name']))
  return (
    node.type === 'ImportDeclaration' ||
    node.type === 'ImportExpression' ||
    /^TS(?!As|Satisfies|NonNull)/.test(node.type ?? '')
  )
}

/**
 * Not what only programs and operators read: commands, mails, invoices, metrics, the OpenAPI document and its examples.
 */
function isSpoken(path: string): boolean {
  return !/^server\/src\/[^/]+\.ts$|\/(programs|testing|embedded|process|failover|locks|mails?|child|move)\/|mail|pdf|operator-database|migrate|root-key|verify-|explain-|openapi|write-invoice|invoice-settings|metrics|measure-|prove-wallet|remind-|examples\.ts|vocabulary\.ts/.test(
    path,
  )
}

/**
 * What a person reads as it stands: of the server full sentences (refusals, faults that are kept, what settings do) and
 * faults of fields, of the contract the messages of its schemas. Such a text is its own key.
 */
function spokenIn(path: string): string[] {
  const sentenceLike = path.startsWith('contract/') ? /^[A-Z“][a-z’]* ./ : /^[“A-Z+].* .*[.!?]$/
  const found: string[] = []
  const walk = (node: Node, isFault: boolean): void => {
    if (isNoText(node) || isUnspoken(node)) return
    found.push(
      ...textsIn(node).filter((each) => (isFault ? each.includes(' ') : sentenceLike.test(each))),
      ...valueIn(node),
    )
    const areFaults = isFault || (node.type === 'Property' && nameOf(node['key']) === 'fields')
    for (const part of Object.values(node))
      for (const each of Array.isArray(part) ? part : [part])
        if (typeof each === 'object' && each !== null) walk(each as Node, areFaults)
  }
  walk(programOf(path), false)
  return found
}

/** Strings, and of SQL what it writes into a row. */
function textsIn({ type, value }: Node): string[] {
  if (type === 'Literal') return typeof value === 'string' ? [value] : []
  if (type !== 'TemplateElement') return []
  return [...(value as { cooked: string }).cooked.matchAll(/'([A-Z][^'\n]*)'/g)].map(([, text = '']) => text)
}

/** `{ text: 'approved' }` is the value of a sentence. */
function valueIn(node: Node): string[] {
  if (node.type !== 'ObjectExpression') return []
  const [property, ...others] = node['properties'] as readonly Node[]
  const text = (property?.['value'] as Node | undefined)?.value
  return others.length === 0 && nameOf(property?.['key']) === 'text' && typeof text === 'string' ? [text] : []
}

/** What a metric is, what a route does, and templates, which have values. */
function isUnspoken(node: Node): boolean {
  if (node.type === 'Property') return /^(help|summary)$/.test(nameOf(node['key']))
  return node.type === 'CallExpression' && nameOf(node['callee']) === 'sentence'
}

function childrenOf(node: Node): Node[] {
  return Object.values(node)
    .flat()
    .filter((part): part is Node => typeof part === 'object' && part !== null)
}

function nameOf(part: unknown): string {
  const name = (part as Node | undefined)?.['name']
  return typeof name === 'string' ? name : ''
}

// 'value', 'count2', 'toLowerCase' say how a value was made and not what it is: nobody can translate around them.
const saysNothing = /^(values?|verb|noun|what)$|\d$|^(to|get|is|has|format)[A-Z]/

test('a place in a text is named for what stands in it', () => {
  const found = [...english].filter((text) =>
    placeholders(text).some((place) => saysNothing.test(place.slice(1, -1))),
  )
  expect(found).toEqual([])
})

const saysText = (node: Node): boolean =>
  (node.type === 'CallExpression' && saying.has(nameOf(node['callee']))) || childrenOf(node).some(saysText)

/**
 * Texts that are put together of pieces: other languages order and bend their words differently. A piece stands in a value
 * that chooses between texts, is added to another text, or begins or ends with the sign that joins it to the next one.
 */
function piecesIn(path: string): string[] {
  const text = readFileSync(join(root, path), 'utf8')
  const found: string[] = []
  const say = (node: Node) =>
    found.push(`${path}:${text.slice(0, node.start).split('\n').length} ${text.slice(node.start, node.end)}`)
  const walk = (node: Node): void => {
    const called = node.type === 'CallExpression' ? nameOf(node['callee']) : ''
    if (saying.has(called))
      for (const { type, properties } of node['arguments'] as readonly Node[])
        for (const { value } of type === 'ObjectExpression' ? (properties as readonly Node[]) : [])
          if (/^(Conditional|Logical|Binary)Expression$|^TemplateLiteral$/.test((value as Node)?.type ?? ''))
            if (saysText(value as Node)) say(node)
    const isSum = node.type === 'BinaryExpression' && node['operator'] === '+'
    if (isSum && (saysText(node['left'] as Node) || saysText(node['right'] as Node))) say(node)
    for (const part of childrenOf(node)) walk(part)
  }
  walk(programOf(path))
  return found
}

test('a text is a whole: no pieces are put together', () => {
  expect(sources.filter((path) => !isExample(path)).flatMap(piecesIn)).toEqual([])
  expect(shown.filter((text) => text !== text.trim() || /^[,.;:·]|[,;·]$/.test(text))).toEqual([])
})

test('each text of the console goes through t()', () => {
  const found = sources.filter((path) => !isExample(path)).flatMap(untranslatedIn)
  expect(found).toEqual([])
})

const calledIn = ({ type, callee }: Node): string =>
  type === 'NewExpression' || type === 'CallExpression' ? nameOf(callee) : ''

/** `wrongState` and the like: functions of a file that end with a refusal. */
function refusersIn(node: Node): string[] {
  const isArrow = (node['init'] as Node | undefined)?.type === 'ArrowFunctionExpression'
  const body = (isArrow ? (node['init'] as Node)['body'] : node['body']) as Node | undefined
  const last = body?.type === 'BlockStatement' ? (body['body'] as Node[]).at(-1)?.['argument'] : body
  const own = (isArrow || node.type === 'FunctionDeclaration') && calledIn((last ?? {}) as Node) === 'Refusal'
  return [...(own ? [nameOf(node['id'])] : []), ...childrenOf(node).flatMap(refusersIn)]
}

/** Refusals with a text that is pasted together, so that it is in no catalogue. */
function pastedIn(path: string): string[] {
  const text = readFileSync(join(root, path), 'utf8')
  const program = programOf(path)
  const refusers = new Set(['Refusal', ...refusersIn(program)])
  const found: string[] = []
  const walk = (node: Node, isMessage: boolean): void => {
    const called = calledIn(node)
    if (/^(sentence|quote|labelled)$/.test(called)) return
    const isPasted =
      (node.type === 'TemplateLiteral' && childrenOf(node).length > 1) || node['operator'] === '+'
    if (isMessage && isPasted && /['"`]/.test(text.slice(node.start, node['end'] as number)))
      found.push(`${path}: ${text.slice(node.start, node['end'] as number)}`)
    // The path of a field is a name.
    for (const part of childrenOf(node))
      if (part !== node['key']) walk(part, isMessage || refusers.has(called))
  }
  walk(program, false)
  return found
}

test('a refusal with values is a sentence', () => {
  const found = sourcesIn('contract/src', 'server/src').filter(isSpoken).flatMap(pastedIn)
  expect(found).toEqual([])
})
