// The routes: the page table behind the sign-in, /auth beside it, and Page Not Found for the rest.
import { createRootRoute, createRoute, createRouter, Outlet, redirect } from '@tanstack/react-router'
import { newPlaceOf } from './old-addresses.ts'
import { pages } from './pages.tsx'
import { paths } from './paths.ts'
import { CrashPage } from './shell/CrashPage.tsx'
import type { ConsolePage } from './shell/console-page.ts'
import { PageFrame } from './shell/PageFrame.tsx'
import { RequireLogin, SessionSpinner } from './shell/RequireLogin.tsx'
import { lazyComponent } from './ui/lazy-component.ts'
import { parseSearch, stringifySearch } from './url-state.ts'

// The shell and the sign-in page never show together, so each has its own script.
const SignedIn = lazyComponent(() => import('./SignedIn.tsx'), 'SignedIn')
const NotFoundPage = lazyComponent(() => import('./shell/NotFoundPage.tsx'), 'NotFoundPage')

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

const root = createRootRoute({
  component: Outlet,
  notFoundComponent: () => <NotFoundPage />,
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
  // Loaded at the same time as the session.
  loader: () => void SignedIn.preload(),
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
      <SignedIn waiting={<SessionSpinner />} />
    </RequireLogin>
  ),
})

function routeOf(page: ConsolePage, path = page.path) {
  return createRoute({
    getParentRoute: () => signedIn,
    path,
    component: () => <PageFrame key={page.path} page={page} />,
    errorComponent: CrashPage,
    beforeLoad: ({ search }) => {
      const place = newPlaceOf(path, search)
      // oxlint-disable-next-line only-throw-error -- the router's way
      if (place) throw redirect({ to: place.path, search: place.search as never, replace: true })
    },
    // Not awaited, so that the old page disappears and the session loads at the same time.
    loader: () => void page.component.preload(),
    // No validateSearch: each page reads its own address (useUrlState), so that the schemas are not in the first page.
  })
}

// Spec §2: / and /dashboard are the same page.
const dashboard = pages.find(({ path }) => path === paths.home)
const pageRoutes = [
  ...pages.map((page) => routeOf(page)),
  ...(dashboard ? [routeOf(dashboard, paths.dashboard)] : []),
]

// The component gallery, for development only.
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
