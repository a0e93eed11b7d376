// The page table: a row per page. Each page is fetched when first opened, so the first one stays small.
import { managementSearch } from './numbers/management/search.ts'
import { paths } from './paths.ts'
import { lazyPage } from './shell/lazy-page.ts'
import type { Page } from './shell/page.ts'

const DashboardPage = lazyPage(() => import('./dashboard/DashboardPage.tsx'), 'DashboardPage')
const NumbersManagementPage = lazyPage(
  () => import('./numbers/management/NumbersManagementPage.tsx'),
  'NumbersManagementPage',
)

/** In any order; the sidebar's is in nav.ts. */
export const pages: readonly Page[] = [
  { path: paths.home, title: 'Dashboard', permission: 'signedIn', component: DashboardPage },
  {
    path: paths.numbersManagement,
    title: 'Numbers Management',
    permission: 'numbersManagement',
    denied: "You don't have permission to access numbers management.",
    component: NumbersManagementPage,
    search: managementSearch,
  },
]
