// Addresses to pages: the page table behind the sign-in, /auth beside it, everything else not found.
import { createRootRoute, createRoute, createRouter, Outlet } from '@tanstack/react-router'
import { navGroups } from './nav.ts'
import { pages } from './pages.tsx'
import { paths } from './paths.ts'
import { CrashPage } from './shell/CrashPage.tsx'
import { NotFoundPage } from './shell/NotFoundPage.tsx'
import type { ConsolePage } from './shell/console-page.ts'
import { PageFrame } from './shell/PageFrame.tsx'
import { RequireLogin, SessionSpinner } from './shell/RequireLogin.tsx'
import { ShellContext, type ShellRows } from './shell/shell-context.ts'
import { lazyComponent } from './ui/lazy-component.ts'
import { parseSearch, stringifySearch } from './url-state.ts'

// The shell and the sign-in page never show together, so neither waits for the other's script.
const AppShell = lazyComponent(() => import('./shell/AppShell.tsx'), 'AppShell')
const SignInPage = lazyComponent(() => import('./users/sign-in/SignInPage.tsx'), 'SignInPage')

const SecondFactorPage = lazyComponent(
  () => import('./users/sign-in/SecondFactorPage.tsx'),
  'SecondFactorPage',
)
const SecondFactorSetup = lazyComponent(
  () => import('./users/account/factor/SecondFactorSetup.tsx'),
  'SecondFactorSetup',
)
const NewPasswordPage = lazyComponent(() => import('./users/sign-in/NewPasswordPage.tsx'), 'NewPasswordPage')

const pageByPath = new Map(pages.map((page) => [page.path, page]))

const shellRows: ShellRows = {
  pages,
  groups: navGroups.map((group) => ({
    title: group.title,
    rows: group.rows.flatMap(({ path, label, icon }) => {
      const page = pageByPath.get(path)
      return page ? [{ page, label, icon }] : []
    }),
  })),
}

const root = createRootRoute({
  component: Outlet,
  notFoundComponent: NotFoundPage,
  errorComponent: CrashPage,
})

const auth = createRoute({
  getParentRoute: () => root,
  path: paths.auth,
  component: () => <SignInPage waiting={<SessionSpinner />} />,
})

const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  // Beside the session, which says whether it is needed: who is signed in does not wait for one after the other.
  loader: () => void AppShell.preload(),
  component: () => (
    <RequireLogin
      signIn={<SignInPage waiting={<SessionSpinner />} />}
      newPassword={<NewPasswordPage waiting={<SessionSpinner />} />}
      secondFactor={
        <SecondFactorPage waiting={<SessionSpinner />}>
          <SecondFactorSetup />
        </SecondFactorPage>
      }
    >
      <ShellContext value={shellRows}>
        <AppShell waiting={<SessionSpinner />} />
      </ShellContext>
    </RequireLogin>
  ),
})

function routeOf(page: ConsolePage, path = page.path) {
  return createRoute({
    getParentRoute: () => signedIn,
    path,
    component: () => <PageFrame key={page.path} page={page} />,
    errorComponent: CrashPage,
    // Not awaited: the old page must not linger, and the session loads at the same time.
    loader: () => void page.component.preload(),
    // No validateSearch: each page reads its own address (useUrlState), so no schema is in every first visit.
  })
}

// Spec §2: / and /dashboard are the same page.
const dashboard = pageByPath.get(paths.home)
const pageRoutes = [
  ...pages.map((page) => routeOf(page)),
  ...(dashboard ? [routeOf(dashboard, paths.dashboard)] : []),
]

// The parts every screen is built from, for those who build them; not in the product.
const gallery = import.meta.env.DEV
  ? [
      createRoute({
        getParentRoute: () => root,
        path: '/gallery',
        component: lazyComponent(() => import('./gallery/GalleryPage.tsx'), 'GalleryPage'),
      }),
    ]
  : []

/** Makes the router of the whole console. */
export function createConsoleRouter() {
  return createRouter({
    routeTree: root.addChildren([auth, signedIn.addChildren(pageRoutes), ...gallery]),
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    scrollRestoration: true,
  })
}
