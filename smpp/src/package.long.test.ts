// The library as programs outside use it: packed, installed in an empty folder, its types checked by the compiler, and the
// examples of its README run against each other.
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import * as library from './index.ts'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '../..')
const folder = await mkdtemp(join(tmpdir(), 'smpp-package-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

const built = join(folder, 'built')
const home = join(folder, 'program')
await run(process.execPath, [join(root, 'tools/build.mjs'), '--library-into', built], { cwd: root })
await mkdir(home)
await writeFile(join(home, 'package.json'), '{"type":"module"}')
const packed = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: built })
const [{ filename }] = JSON.parse(packed.stdout) as [{ filename: string }]
await run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(folder, filename)], { cwd: home })

const page = await readFile(join(home, 'node_modules/@tollgate/smpp/README.md'), 'utf8')

/** The example of the README with this name. */
function example(name: string): string {
  const text = new RegExp('```ts ' + name + '\\n([\\s\\S]+?)```').exec(page)?.[1]
  if (text === undefined) throw new Error(`the README has no example ${name}`)
  return text
}

async function compile(name: string, text: string): Promise<string> {
  const compilerOptions = {
    target: 'es2022',
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
  }
  await writeFile(join(home, `${name}.ts`), text)
  await writeFile(join(home, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [`${name}.ts`] }))
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const failed = (error: { stdout?: string }) => ({ stdout: error.stdout ?? 'the compiler failed' })
  return (await run(process.execPath, [compiler, '-p', home], { cwd: home }).catch(failed)).stdout
}

test('the package installs without any other, and its entry has what the source has', async () => {
  const { dependencies } = JSON.parse(
    await readFile(join(home, 'node_modules/@tollgate/smpp/package.json'), 'utf8'),
  ) as { dependencies?: object }
  expect(dependencies).toBeUndefined()
  const listed = await run('npm', ['ls', '--all', '--parseable'], { cwd: home })
  expect(listed.stdout.trim().split('\n')).toHaveLength(2)
  await writeFile(
    join(home, 'names.js'),
    "console.log(Object.keys(await import('@tollgate/smpp')).sort().join())",
  )
  const { stdout } = await run(process.execPath, ['names.js'], { cwd: home })
  expect(stdout.trim().split(',')).toEqual(Object.keys(library).toSorted())
})

test('the examples of the README compile, and run against each other', async () => {
  const program = [
    example('server'),
    'const { port } = server',
    // The program ends when the last example has shown its receipt.
    `const shown = new Promise<void>((resolve) => {
      const { log } = console
      console.log = (...parts) => {
        log(...parts)
        if (String(parts[0]).endsWith(', for good')) resolve()
      }
    })`,
    // Each example has a client of its own.
    example('client').replace('client = new', 'sender = new').replaceAll('client.', 'sender.'),
    example('receipts').replace(/^import .*$/m, ''),
    'await shown\nawait client.close()\nawait server.stop(1_000)',
  ]
  expect(await compile('program', program.join('\n'))).toBe('')
  const { stdout } = await run(process.execPath, ['program.js'], { cwd: home })
  expect(stdout.trim().split('\n')).toEqual([
    'shop sent 159 octets',
    'shop sent 103 octets',
    '2 segments accepted',
    'shop sent 17 octets',
    '+4917012345678: DELIVRD, for good',
  ])
})

test('a program that stores each segment first makes the message whole after a crash', async () => {
  const segment = (place: number, text: string) =>
    `{ sourceAddr: '4917012345678', destinationAddr: '100', esmClass: 0x40, dataCoding: 3, tlvs: [],
      shortMessage: Buffer.from('05000307020${place}${Buffer.from(text).toString('hex')}', 'hex') }`
  const restarted = example('segments').replace('= []', `= [${segment(1, 'before and ')}]`)
  expect(await compile('segments', `${restarted}\ntake(${segment(2, 'after')})`)).toBe('')
  const { stdout } = await run(process.execPath, ['segments.js'], { cwd: home })
  expect(stdout).toBe('4917012345678 writes: before and after\n')
})

test('a mistake does not compile', async () => {
  expect(
    await compile('mistake', example('client').replace('text:', 'txt:').replace('port }', 'port: 2775 }')),
  ).toContain("'txt' does not exist")
})
