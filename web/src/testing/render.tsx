// Draws a page or part with everything that stands round it in the console.
import { QueryClientProvider } from '@tanstack/react-query'
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router'
import { render, type RenderResult } from '@testing-library/react'
import type { User } from '@tollgate/contract/users.ts'
import type { ReactNode } from 'react'
import { createQueryClient } from '../api/query-policy.ts'
import { SessionProvider, useSession } from '../api/session.tsx'
import { Toasts } from '../ui/Toasts.tsx'
import { TooltipProvider } from '../ui/Tooltip.tsx'
import { parseSearch, stringifySearch } from '../url-state.ts'
import { refusal, stubApi, type ApiStubs, type ApiRequest } from './api-stub.ts'

/** A signed-in admin; tests spread it to become someone else. */
export const admin: User = {
  id: 1,
  username: 'admin',
  email: 'admin@example.com',
  firstName: 'Ada',
  lastName: 'Min',
  fullName: 'Ada Min',
  role: 'admin',
  status: 'active',
  smppAccess: false,
  maxConnections: 5,
  createdAt: '2026-11-01T00:00:00.000Z',
  customSmsRate: '',
  usdtAddress: '',
  hasSecondFactor: false,
  version: 1,
}

interface RenderOptions {
  /** null: nobody is signed in. The admin unless said. */
  readonly user?: User | null
  /** Where the console stands: '/users?role=admin'. */
  readonly url?: string
  readonly answers?: ApiStubs
}

interface Rendered extends RenderResult {
  /** Every call that was made, in order. */
  readonly asked: readonly ApiRequest[]
  /** The address now, with its query. */
  readonly address: () => string
}

/** Pages stand behind the sign-in: they are drawn once the session is known. */
function Gate({ isOpen, children }: { isOpen: boolean; children: ReactNode }) {
  const { user } = useSession()
  return isOpen || user ? children : null
}

/** Renders inside query client, session, router, tooltips and toasts, with fetch answered from `answers`. */
export function renderApp(
  element: ReactNode,
  { user = admin, url = '/', answers = {} }: RenderOptions = {},
): Rendered {
  const session = user ?? refusal(401, { code: 'signed_out', message: 'Sign in first' })
  const asked = stubApi({ 'GET /api/user': session, ...answers })
  const root = createRootRoute()
  const any = createRoute({
    getParentRoute: () => root,
    path: '$',
    component: () => <Gate isOpen={user === null}>{element}</Gate>,
  })
  const history = createMemoryHistory({ initialEntries: [url] })
  const router = createRouter({ routeTree: root.addChildren([any]), history, parseSearch, stringifySearch })
  const result = render(
    <QueryClientProvider client={createQueryClient()}>
      <SessionProvider>
        <TooltipProvider>
          <RouterProvider router={router as never} />
          <Toasts />
        </TooltipProvider>
      </SessionProvider>
    </QueryClientProvider>,
  )
  return { ...result, asked, address: () => history.location.href }
}
