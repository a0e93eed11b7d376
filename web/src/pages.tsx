// The page table: a row per page. Each page is fetched when first opened, so the first one stays small.
import { auditSearch } from './audit/search.ts'
import { dashboardSearch } from './dashboard/search.ts'
import { managementSearch } from './numbers/management/search.ts'
import { inventorySearch } from './numbers/inventory/search.ts'
import { accountNumbersSearch } from './numbers/accounts/search.ts'
import { rangesSearch } from './numbers/ranges/search.ts'
import { useWaitingRequests } from './numbers/waiting-requests.ts'
import { requestsSearch } from './numbers/requests/search.ts'
import { paths } from './paths.ts'
import { settingsSearch } from './rates/search.ts'
import { recordsSearch } from './records/search.ts'
import { lazyPage } from './shell/lazy-page.ts'
import type { Page } from './shell/page.ts'
import { usersSearch } from './users/search.ts'

const DashboardPage = lazyPage(() => import('./dashboard/DashboardPage.tsx'), 'DashboardPage')
const RecordsPage = lazyPage(() => import('./records/RecordsPage.tsx'), 'RecordsPage')
const NumbersManagementPage = lazyPage(
  () => import('./numbers/management/NumbersManagementPage.tsx'),
  'NumbersManagementPage',
)
const UsersPage = lazyPage(() => import('./users/UsersPage.tsx'), 'UsersPage')
const AdminSettingsPage = lazyPage(() => import('./rates/AdminSettingsPage.tsx'), 'AdminSettingsPage')
const AuditPage = lazyPage(() => import('./audit/AuditPage.tsx'), 'AuditPage')
const NumberInventoryPage = lazyPage(
  () => import('./numbers/inventory/NumberInventoryPage.tsx'),
  'NumberInventoryPage',
)
const PremiumNumbersPage = lazyPage(
  () => import('./numbers/accounts/PremiumNumbersPage.tsx'),
  'PremiumNumbersPage',
)
const NumberRangesPage = lazyPage(() => import('./numbers/ranges/NumberRangesPage.tsx'), 'NumberRangesPage')
const NumberRequestsPage = lazyPage(
  () => import('./numbers/requests/NumberRequestsPage.tsx'),
  'NumberRequestsPage',
)

/** In any order; the sidebar's is in nav.ts. */
export const pages: readonly Page[] = [
  {
    path: paths.home,
    title: 'Dashboard',
    permission: 'signedIn',
    component: DashboardPage,
    search: dashboardSearch,
  },
  {
    path: paths.records,
    title: 'SMS Records',
    permission: 'recordsRead',
    component: RecordsPage,
    search: recordsSearch,
  },
  {
    path: paths.numbersManagement,
    title: 'Numbers Management',
    permission: 'numbersManagement',
    denied: "You don't have permission to access numbers management.",
    component: NumbersManagementPage,
    search: managementSearch,
  },
  {
    path: paths.users,
    title: 'Users Management',
    permission: 'userManagement',
    denied: "You don't have permission to access user management.",
    component: UsersPage,
    search: usersSearch,
  },
  {
    path: paths.adminSettings,
    title: 'Admin Settings',
    permission: 'adminSettings',
    component: AdminSettingsPage,
    search: settingsSearch,
  },
  {
    path: paths.auditLog,
    title: 'Audit Log',
    permission: 'auditRead',
    component: AuditPage,
    search: auditSearch,
  },
  {
    path: paths.numberInventory,
    title: 'Number Inventory',
    permission: 'numbersManagement',
    denied: 'Only admin and support users can access number inventory management.',
    component: NumberInventoryPage,
    search: inventorySearch,
  },
  {
    path: paths.numbers,
    title: 'Premium Numbers',
    permission: 'accountNumbers',
    component: PremiumNumbersPage,
    search: accountNumbersSearch,
  },
  {
    path: paths.ranges,
    title: 'Number Ranges',
    permission: 'ranges',
    denied: "You don't have permission to access number ranges.",
    component: NumberRangesPage,
    search: rangesSearch,
  },
  {
    path: paths.numberRequests,
    title: 'Number Requests',
    permission: 'numberRequests',
    denied: "You don't have permission to access number requests.",
    component: NumberRequestsPage,
    search: requestsSearch,
    useCount: useWaitingRequests,
  },
]
