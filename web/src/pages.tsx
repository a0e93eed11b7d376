// The page table: a row per page. Each page is fetched when first opened, so the first one stays small.
import { paths } from './paths.ts'
import { lazyPage } from './shell/lazy-page.ts'
import type { Page } from './shell/page.ts'

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
const PaymentPage = lazyPage(() => import('./billing/PaymentPage.tsx'), 'PaymentPage')
const PaymentManagementPage = lazyPage(
  () => import('./billing/PaymentManagementPage.tsx'),
  'PaymentManagementPage',
)
const InterconnectionPage = lazyPage(
  () => import('./gateway/interconnection/InterconnectionPage.tsx'),
  'InterconnectionPage',
)
const HttpProvidersPage = lazyPage(() => import('./providers/HttpProvidersPage.tsx'), 'HttpProvidersPage')
const SmppControlPage = lazyPage(() => import('./gateway/SmppControlPage.tsx'), 'SmppControlPage')

/** In any order; the sidebar's is in nav.ts. */
export const pages: readonly Page[] = [
  {
    path: paths.home,
    title: 'Dashboard',
    permission: 'signedIn',
    component: DashboardPage,
  },
  {
    path: paths.records,
    title: 'SMS Records',
    permission: 'recordsRead',
    component: RecordsPage,
  },
  {
    path: paths.numbersManagement,
    title: 'Numbers Management',
    permission: 'numbersManagement',
    denied: "You don't have permission to access numbers management.",
    component: NumbersManagementPage,
  },
  {
    path: paths.users,
    title: 'Users Management',
    permission: 'userManagement',
    denied: "You don't have permission to access user management.",
    component: UsersPage,
  },
  {
    path: paths.adminSettings,
    title: 'Admin Settings',
    permission: 'adminSettings',
    component: AdminSettingsPage,
  },
  {
    path: paths.auditLog,
    title: 'Audit Log',
    permission: 'auditRead',
    component: AuditPage,
  },
  {
    path: paths.numberInventory,
    title: 'Number Inventory',
    permission: 'numbersManagement',
    denied: 'Only admin and support users can access number inventory management.',
    component: NumberInventoryPage,
  },
  {
    path: paths.numbers,
    title: 'Premium Numbers',
    permission: 'accountNumbers',
    component: PremiumNumbersPage,
  },
  {
    path: paths.ranges,
    title: 'Number Ranges',
    permission: 'ranges',
    denied: "You don't have permission to access number ranges.",
    component: NumberRangesPage,
  },
  {
    path: paths.numberRequests,
    title: 'Number Requests',
    permission: 'numberRequests',
    denied: "You don't have permission to access number requests.",
    component: NumberRequestsPage,
    loadCount: async () => (await import('./numbers/waiting-requests.ts')).useWaitingRequests,
  },
  {
    path: paths.interconnectionApi,
    title: 'Interconnection API',
    permission: 'interconnectionApi',
    denied: "You don't have permission to access the interconnection API.",
    component: InterconnectionPage,
  },
  {
    path: paths.smppControl,
    title: 'SMPP Control',
    permission: 'smppControl',
    denied: "You don't have permission to access SMPP control.",
    component: SmppControlPage,
  },
  {
    path: paths.httpProviders,
    title: 'HTTP Providers',
    permission: 'httpProviders',
    denied: "You don't have permission to access HTTP providers.",
    component: HttpProvidersPage,
  },
  {
    path: paths.payment,
    title: 'Payment & Billing',
    permission: 'payment',
    denied: "You don't have permission to access payment and billing.",
    component: PaymentPage,
  },
  {
    path: paths.paymentManagement,
    title: 'Payment Management',
    permission: 'paymentManagement',
    denied: "You don't have permission to access payment management.",
    component: PaymentManagementPage,
    loadCount: async () => (await import('./billing/unpaid-count.ts')).useUnpaidBills,
  },
]
