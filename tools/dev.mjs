// `npm run dev`: the demo with a server that is built anew and started again on each change, and a console that Vite
// reloads in place. The database is the demo's own, so nothing of `./data` is touched.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { buildServer } from './build.mjs'

const root = resolve(import.meta.dirname, '..')
const out = join(root, 'dist', 'dev')
const watched = ['contract/src', 'smpp/src', 'server/src', 'server/migrations']
// One save may touch several files, and an editor may write a file twice.
const settleMs = 150
const consolePort = Number(process.env.CONSOLE_PORT ?? 5173)

let gateway
let isStopping = false

function startGateway() {
  const child = spawn(
    process.execPath,
    ['--enable-source-maps', '--max-semi-space-size=16', join(out, 'demo.js')],
    {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, DATA_DIR: process.env.DATA_DIR ?? join(root, 'data', 'dev') },
    },
  )
  child.on('close', (code) => {
    if (child === gateway && code !== 0)
      console.log('The gateway has ended. It starts again at the next change.')
  })
  gateway = child
}

/** Resolves when the gateway has ended; its own limit for that is 35 s. */
function stopGateway() {
  const child = gateway
  gateway = undefined
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  const ended = new Promise((settle) => child.once('close', settle))
  child.kill('SIGTERM')
  return ended
}

let building = Promise.resolve()

function restart(path) {
  building = building.then(async () => {
    if (isStopping) return
    console.log(`${path} changed: building …`)
    try {
      await buildServer(out)
    } catch {
      // esbuild has said what is wrong; the gateway that runs stays.
      return
    }
    await stopGateway()
    if (!isStopping) startGateway()
  })
}

let settling
/**
 * Vite's watcher copes with what editors and git do to files. The recursive watcher of Node.js ends the process at some
 * of it.
 */
function watchSources(watcher) {
  const folders = watched.map((folder) => join(root, folder))
  watcher.add(folders)
  watcher.on('all', (_, path) => {
    if (!folders.some((folder) => path.startsWith(folder)) || path.endsWith('.test.ts')) return
    clearTimeout(settling)
    settling = setTimeout(() => restart(relative(root, path)), settleMs)
  })
}

async function startConsole() {
  const { createServer } = await import('vite')
  const server = await createServer({
    root: join(root, 'web'),
    logLevel: 'warn',
    server: { port: consolePort, strictPort: true },
  })
  await server.listen()
  console.log(`The console with hot reload: http://127.0.0.1:${consolePort}`)
  return server
}

async function stop(console) {
  if (isStopping) return
  isStopping = true
  await Promise.all([stopGateway(), console.close()])
  process.exit(0)
}

if (!existsSync(join(root, 'node_modules'))) throw new Error('Packages are missing: run npm ci first.')
await buildServer(out)
startGateway()
const vite = await startConsole()
watchSources(vite.watcher)
// However this process ends, the gateway does not stay behind.
process.on('exit', () => gateway?.kill('SIGTERM'))
// Vite's own listener would end this process before the gateway has ended.
process.removeAllListeners('SIGTERM')
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void stop(vite))
