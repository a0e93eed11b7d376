// Which modules share a script (docs/decisions/0037-what-a-page-needs-is-loaded-ahead.md).
import { join } from 'node:path'
import type { Rolldown } from 'vite'

/** What rolldown knows of the modules. */
type Modules = Pick<Rolldown.PluginContext, 'getModuleInfo'>

// The libraries of every page in one file: it compresses better, and stays cached when a page changes.
const everyPageLibrary =
  /node_modules[\\/](react|react-dom|scheduler|zod|@tanstack[\\/](react-router|router-core|history|query-core|react-query|store|react-store))[\\/]/

const sources = join(import.meta.dirname, 'src')

const isRoutes = /[\\/]contract[\\/]src[\\/]/

/** The modules that load with the given files. Of a package only what they import themselves: the rest may be dropped. */
function closureOf(files: readonly string[], modules: Modules): ReadonlySet<string> {
  const found = new Set<string>()
  const queue = files.map((file) => sources + file)
  // A file that was moved would leave its scripts ungrouped without a word.
  for (const id of queue)
    if (modules.getModuleInfo(id) === null)
      throw new Error(`${id} is no module: name the files of its group anew`)
  for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
    if (found.has(id)) continue
    found.add(id)
    if (id.includes('node_modules')) continue
    const { importedIds = [], dynamicallyImportedIds = [] } = modules.getModuleInfo(id) ?? {}
    // The routes of a count in the sidebar are asked for as soon as it runs.
    queue.push(...importedIds, ...dynamicallyImportedIds.filter((other) => isRoutes.test(other)))
  }
  return found
}

/** What `files` load, as far as others load it too. */
function loadedWith(name: string, files: readonly string[]) {
  let closure: ReadonlySet<string> | undefined
  return {
    debugName: name,
    minShareCount: 2,
    name: (id: string, modules: Modules) => {
      closure ??= closureOf(files, modules)
      return closure.has(id) ? name : null
    },
  }
}

/** The first page of a visitor. */
export const visitorFiles = ['/users/sign-in/SignInPage.tsx']

/** The first page of a signed-in person, with what its parts ask for once they run: counts of the sidebar, bell, cards. */
export const shellFiles = [
  '/SignedIn.tsx',
  '/dashboard/DashboardPage.tsx',
  '/dashboard/OverviewTab.tsx',
  '/dashboard/FirstSteps.tsx',
  '/dashboard/ClientMoney.tsx',
  '/notifications/NotificationsButton.tsx',
  '/alerts/alert-count.ts',
  '/billing/unpaid-count.ts',
  '/numbers/waiting-requests.ts',
  '/users/waiting-accounts.ts',
]

/** For rolldown's `codeSplitting`: a module is in the first group that takes it, and in a script of its own otherwise. */
export const scriptGroups = [
  { name: 'libraries', test: everyPageLibrary, priority: 1 },
  // What nearly every script needs.
  { name: 'frame', minShareCount: 62 },
  loadedWith('visitor', ['/main.tsx', '/console.tsx', ...visitorFiles]),
  loadedWith('shell', shellFiles),
  { name: 'icons', test: /lucide-react/, minShareCount: 2 },
  // What most pages share: tables, forms and dialogs.
  { name: 'pages', minShareCount: 6 },
  // Routes that a few pages share, apart from the components: they import no component, so that no two scripts wait for each
  // other's values.
  { name: 'routes', test: isRoutes, minShareCount: 2 },
  // What a few pages share, with what is loaded by nearly the same ones, in scripts of six kilobytes or more.
  { name: 'shared', minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold: 6_000 },
]

/** The scripts that run before any page is loaded. */
export const firstScripts = /assets\/(libraries|frame|visitor|rolldown-runtime)-/
