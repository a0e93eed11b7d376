// Renders a component with everything that surrounds it in the console.
import { QueryClientProvider } from '@tanstack/react-query'
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router'
import { act, render, type RenderResult } from '@testing-library/react'
import type { SignedInUser, User } from '@tollgate/contract/users/users.ts'
import type { ReactNode } from 'react'
import { createQueryClient } from '../api/query-policy.ts'
import { SessionProvider, useSession } from '../api/session.tsx'
import { Toasts } from '../ui/Toasts.tsx'
import { TooltipProvider } from '../ui/Tooltip.tsx'
import { parseSearch, stringifySearch } from '../url-state.ts'
import { refusal, stubApi, type ApiStubs, type ApiRequest } from './api-stub.ts'

/** A signed-in admin. Tests spread it to make other users. */
export const admin: User = {
  id: 1,
  username: 'admin',
  email: 'admin@example.com',
  firstName: 'Ada',
  lastName: 'Min',
  fullName: 'Ada Min',
  role: 'admin',
  status: 'active',
  awaitsApproval: false,
  smppAccess: false,
  maxConnections: 5,
  createdAt: '2026-11-01T00:00:00.000Z',
  customSmsRate: '',
  usdtAddress: '',
  hasSecondFactor: false,
  version: 1,
}

export const support: User = { ...admin, id: 2, username: 'support', role: 'support' }

interface RenderOptions {
  /** null: nobody is signed in. The admin by default. */
  readonly user?: SignedInUser | null
  /** The address: '/users?role=admin'. */
  readonly url?: string
  /** The path of its page, where the page reads parameters from it: '/users/$id'. */
  readonly path?: string
  readonly answers?: ApiStubs
}

interface Rendered extends RenderResult {
  /** Every call that was made, in order. */
  readonly requests: readonly ApiRequest[]
  /** The address now, with its query. */
  readonly address: () => string
  /** Reads everything on screen again, as polling does. */
  readonly refresh: () => Promise<void>
}

/** As in the console, pages are rendered once the session is known. */
function Gate({ isOpen, children }: { isOpen: boolean; children: ReactNode }) {
  const { user } = useSession()
  return isOpen || user ? children : null
}

/** Renders with query client, session, router, tooltips and toasts. fetch is answered from `answers`. */
export function renderApp(
  element: ReactNode,
  { user = admin, url = '/', path = '$', answers = {} }: RenderOptions = {},
): Rendered {
  const session = user ?? refusal(401, { code: 'signed_out', message: 'Sign in first' })
  const requests = stubApi({
    'GET /api/user': session,
    'GET /api/registration': { mode: 'open' },
    ...answers,
  })
  const root = createRootRoute()
  const any = createRoute({
    getParentRoute: () => root,
    path,
    component: () => <Gate isOpen={user === null}>{element}</Gate>,
  })
  const history = createMemoryHistory({ initialEntries: [url] })
  const router = createRouter({ routeTree: root.addChildren([any]), history, parseSearch, stringifySearch })
  const client = createQueryClient()
  const result = render(
    <QueryClientProvider client={client}>
      <SessionProvider>
        <TooltipProvider>
          <RouterProvider router={router as never} />
          <Toasts />
        </TooltipProvider>
      </SessionProvider>
    </QueryClientProvider>,
  )
  return {
    ...result,
    requests,
    address: () => history.location.href,
    refresh: () => act(() => client.invalidateQueries()),
  }
}
