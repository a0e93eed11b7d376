// The rows of the sidebar, in the order and groups of visual language §6. The permission of its page decides who sees a
// row.
import {
  ArrowLeftRight,
  ArrowUpFromLine,
  BookOpen,
  Brackets,
  ClipboardList,
  CloudDownload,
  Hash,
  HandCoins,
  LayoutDashboard,
  ListPlus,
  MessagesSquare,
  RadioTower,
  SlidersHorizontal,
  TriangleAlert,
  Users,
  Wallet,
  type LucideIcon,
} from 'lucide-react'
import { objectPaths, paths } from './paths.ts'
import { t } from './language/t.ts'

interface NavRow {
  readonly path: string
  readonly label: string
  readonly icon: LucideIcon
}

export interface NavGroup {
  /** Empty for the first group. */
  readonly title: string
  readonly rows: readonly NavRow[]
}

export const navGroups: readonly NavGroup[] = [
  { title: '', rows: [{ path: paths.home, label: t('Dashboard'), icon: LayoutDashboard }] },
  {
    title: t('Traffic'),
    rows: [
      { path: paths.records, label: t('SMS Records'), icon: MessagesSquare },
      { path: paths.smppTraffic, label: t('SMPP Traffic'), icon: ArrowUpFromLine },
      { path: paths.smppControl, label: t('SMPP Control'), icon: RadioTower },
      { path: paths.httpProviders, label: t('HTTP Providers'), icon: CloudDownload },
      { path: paths.interconnectionApi, label: t('Interconnection API'), icon: ArrowLeftRight },
      { path: paths.alerts, label: t('Alerts'), icon: TriangleAlert },
    ],
  },
  {
    title: t('Numbers'),
    rows: [
      { path: paths.numbers, label: t('Premium Numbers'), icon: Hash },
      { path: paths.ranges, label: t('Number Ranges'), icon: Brackets },
      { path: paths.numberRequests, label: t('Number Requests'), icon: ClipboardList },
      { path: paths.numbersManagement, label: t('Numbers Management'), icon: ListPlus },
    ],
  },
  {
    title: t('Money'),
    rows: [
      { path: paths.payment, label: t('Payment'), icon: Wallet },
      { path: paths.paymentManagement, label: t('Payment Management'), icon: HandCoins },
      { path: paths.books, label: t('Books'), icon: BookOpen },
    ],
  },
  {
    title: t('Administration'),
    rows: [
      { path: paths.users, label: t('Users Management'), icon: Users },
      { path: paths.adminSettings, label: t('Admin Settings'), icon: SlidersHorizontal },
    ],
  },
]

/** Pages without a row of their own, by the row that they open from. */
export const covered: Readonly<Record<string, readonly string[]>> = {
  [paths.httpProviders]: [objectPaths.provider],
  [paths.interconnectionApi]: [objectPaths.connection, objectPaths.endpoint, paths.cdrFiles],
  [paths.numberRequests]: [paths.numberStock],
  [paths.numbersManagement]: [paths.numberInventory],
  [paths.payment]: [objectPaths.bill],
  [paths.paymentManagement]: [objectPaths.bill],
  [paths.adminSettings]: [paths.auditLog],
}
