// The page table: a row per page. Each page is fetched when first opened, so the first one stays small.
import { lazyRouteComponent } from '@tanstack/react-router'
import { paths } from './paths.ts'
import type { Page } from './shell/page.ts'

const DashboardPage = lazyRouteComponent(() => import('./dashboard/DashboardPage.tsx'), 'DashboardPage')

/** In any order; the sidebar's is in nav.ts. */
export const pages: readonly Page[] = [
  { path: paths.home, title: 'Dashboard', permission: 'signedIn', component: DashboardPage },
]
