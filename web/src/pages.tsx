// The page table. Each page has its own script, so that the first one stays small. The others are loaded when the
// browser is idle.
import { objectPaths, paths } from './paths.ts'
import type { ConsolePage } from './shell/console-page.ts'
import { lazyComponent } from './ui/lazy-component.ts'
import { t } from './language/t.ts'

const DashboardPage = lazyComponent(() => import('./dashboard/DashboardPage.tsx'), 'DashboardPage')
const RecordsPage = lazyComponent(() => import('./records/RecordsPage.tsx'), 'RecordsPage')
const NumbersManagementPage = lazyComponent(
  () => import('./numbers/management/NumbersManagementPage.tsx'),
  'NumbersManagementPage',
)
const UsersPage = lazyComponent(() => import('./users/UsersPage.tsx'), 'UsersPage')
const AdminSettingsPage = lazyComponent(() => import('./settings/AdminSettingsPage.tsx'), 'AdminSettingsPage')
const AuditPage = lazyComponent(() => import('./audit/AuditPage.tsx'), 'AuditPage')
const NumberInventoryPage = lazyComponent(
  () => import('./numbers/inventory/NumberInventoryPage.tsx'),
  'NumberInventoryPage',
)
const PremiumNumbersPage = lazyComponent(
  () => import('./numbers/accounts/PremiumNumbersPage.tsx'),
  'PremiumNumbersPage',
)
const NumberRangesPage = lazyComponent(
  () => import('./numbers/ranges/NumberRangesPage.tsx'),
  'NumberRangesPage',
)
const NumberRequestsPage = lazyComponent(
  () => import('./numbers/requests/NumberRequestsPage.tsx'),
  'NumberRequestsPage',
)
const PaymentPage = lazyComponent(() => import('./payment/PaymentPage.tsx'), 'PaymentPage')
const PaymentManagementPage = lazyComponent(
  () => import('./payment/PaymentManagementPage.tsx'),
  'PaymentManagementPage',
)
const BooksPage = lazyComponent(() => import('./books/BooksPage.tsx'), 'BooksPage')
const InterconnectionPage = lazyComponent(
  () => import('./connections/interconnection/InterconnectionPage.tsx'),
  'InterconnectionPage',
)
const CdrFilesPage = lazyComponent(() => import('./cdr/CdrFilesPage.tsx'), 'CdrFilesPage')
const HttpProvidersPage = lazyComponent(
  () => import('./providers/HttpProvidersPage.tsx'),
  'HttpProvidersPage',
)
const WebhooksPage = lazyComponent(() => import('./endpoints/WebhooksPage.tsx'), 'WebhooksPage')
const AlertsPage = lazyComponent(() => import('./alerts/AlertsPage.tsx'), 'AlertsPage')
const SmppControlPage = lazyComponent(() => import('./connections/SmppControlPage.tsx'), 'SmppControlPage')
const SmppTrafficPage = lazyComponent(() => import('./smpp-traffic/SmppTrafficPage.tsx'), 'SmppTrafficPage')

const NumberStockPage = lazyComponent(() => import('./numbers/stock/NumberStockPage.tsx'), 'NumberStockPage')
const PersonPage = lazyComponent(() => import('./objects/PersonPage.tsx'), 'PersonPage')
const NumberPage = lazyComponent(() => import('./objects/NumberPage.tsx'), 'NumberPage')
const RangePage = lazyComponent(() => import('./objects/RangePage.tsx'), 'RangePage')
const ConnectionPage = lazyComponent(() => import('./objects/ConnectionPage.tsx'), 'ConnectionPage')
const ProviderPage = lazyComponent(() => import('./objects/ProviderPage.tsx'), 'ProviderPage')
const EndpointPage = lazyComponent(() => import('./objects/EndpointPage.tsx'), 'EndpointPage')
const BillPage = lazyComponent(() => import('./objects/BillPage.tsx'), 'BillPage')

/** In any order. The order of the sidebar is in nav.ts. */
export const pages: readonly ConsolePage[] = [
  {
    path: paths.home,
    title: t('Dashboard'),
    permission: 'signedIn',
    isOfHolders: true,
    component: DashboardPage,
  },
  {
    path: paths.records,
    title: t('SMS Records'),
    permission: 'recordsRead',
    isOfHolders: true,
    component: RecordsPage,
  },
  {
    path: paths.numbersManagement,
    title: t('Numbers Management'),
    permission: 'numbersManagement',
    component: NumbersManagementPage,
  },
  {
    path: paths.users,
    title: t('Users Management'),
    permission: 'userManagement',
    component: UsersPage,
    loadCount: async () => (await import('./users/waiting-accounts.ts')).useWaitingAccounts,
  },
  {
    path: paths.adminSettings,
    title: t('Admin Settings'),
    permission: 'adminSettings',
    component: AdminSettingsPage,
  },
  {
    path: paths.auditLog,
    title: t('Audit Log'),
    permission: 'auditRead',
    component: AuditPage,
  },
  {
    path: paths.numberInventory,
    title: t('Number Inventory'),
    permission: 'numbersManagement',
    component: NumberInventoryPage,
  },
  {
    path: paths.numbers,
    title: t('Premium Numbers'),
    permission: 'accountNumbers',
    isOfHolders: true,
    component: PremiumNumbersPage,
  },
  {
    path: paths.ranges,
    title: t('Number Ranges'),
    permission: 'ranges',
    isOfHolders: true,
    component: NumberRangesPage,
  },
  {
    path: paths.numberRequests,
    title: t('Number Requests'),
    permission: 'numberRequests',
    isOfHolders: true,
    component: NumberRequestsPage,
    loadCount: async () => (await import('./numbers/waiting-requests.ts')).useWaitingRequests,
  },
  {
    path: paths.interconnectionApi,
    title: t('Interconnection API'),
    permission: 'interconnectionApi',
    component: InterconnectionPage,
  },
  {
    path: paths.cdrFiles,
    title: t('CDR files'),
    permission: 'interconnectionApi',
    component: CdrFilesPage,
  },
  {
    path: paths.smppControl,
    title: t('SMPP Control'),
    permission: 'smppControl',
    component: SmppControlPage,
  },
  {
    path: paths.smppTraffic,
    title: t('SMPP Traffic'),
    permission: 'signedIn',
    needsSmppAccess: true,
    component: SmppTrafficPage,
  },
  {
    path: paths.httpProviders,
    title: t('HTTP Providers'),
    permission: 'httpProviders',
    component: HttpProvidersPage,
  },
  {
    path: paths.alerts,
    title: t('Alerts'),
    permission: 'alerts',
    component: AlertsPage,
    loadCount: async () => (await import('./alerts/alert-count.ts')).useOpenAlerts,
  },
  {
    path: paths.webhooks,
    title: t('Webhooks'),
    permission: 'ownEndpoints',
    component: WebhooksPage,
  },
  {
    path: paths.payment,
    title: t('Payment & Billing'),
    permission: 'payment',
    isOfHolders: true,
    component: PaymentPage,
  },
  {
    path: paths.paymentManagement,
    title: t('Payment Management'),
    permission: 'paymentManagement',
    component: PaymentManagementPage,
    loadCount: async () => (await import('./billing/unpaid-count.ts')).useUnpaidBills,
  },
  {
    path: paths.books,
    title: t('Books'),
    permission: 'paymentManagement',
    component: BooksPage,
  },
  {
    path: paths.numberStock,
    title: t('Number Stock'),
    permission: 'numberRequests',
    component: NumberStockPage,
  },
  {
    path: objectPaths.person,
    title: t('Person'),
    permission: 'userManagement',
    component: PersonPage,
  },
  {
    path: objectPaths.number,
    title: t('Number'),
    permission: 'accountNumbers',
    component: NumberPage,
  },
  {
    path: objectPaths.range,
    title: t('Range'),
    permission: 'ranges',
    component: RangePage,
  },
  {
    path: objectPaths.connection,
    title: t('Connection'),
    permission: 'interconnectionApi',
    component: ConnectionPage,
  },
  {
    path: objectPaths.provider,
    title: t('Provider'),
    permission: 'httpProviders',
    component: ProviderPage,
  },
  {
    path: objectPaths.endpoint,
    title: t('Endpoint'),
    permission: 'ownEndpoints',
    component: EndpointPage,
  },
  {
    path: objectPaths.bill,
    title: t('Bill'),
    permission: 'payment',
    component: BillPage,
  },
]
