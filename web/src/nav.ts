// The rows of the sidebar, in the order and groups of visual language §6. The permission of its page decides who sees a
// row.
import {
  ArrowLeftRight,
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
import { paths } from './paths.ts'

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
  { title: '', rows: [{ path: paths.home, label: 'Dashboard', icon: LayoutDashboard }] },
  {
    title: 'Traffic',
    rows: [
      { path: paths.records, label: 'SMS Records', icon: MessagesSquare },
      { path: paths.smppControl, label: 'SMPP Control', icon: RadioTower },
      { path: paths.httpProviders, label: 'HTTP Providers', icon: CloudDownload },
      { path: paths.interconnectionApi, label: 'Interconnection API', icon: ArrowLeftRight },
      { path: paths.trouble, label: 'Trouble', icon: TriangleAlert },
    ],
  },
  {
    title: 'Numbers',
    rows: [
      { path: paths.numbers, label: 'Premium Numbers', icon: Hash },
      { path: paths.ranges, label: 'Number Ranges', icon: Brackets },
      { path: paths.numberRequests, label: 'Number Requests', icon: ClipboardList },
      { path: paths.numbersManagement, label: 'Numbers Management', icon: ListPlus },
    ],
  },
  {
    title: 'Money',
    rows: [
      { path: paths.payment, label: 'Payment', icon: Wallet },
      { path: paths.paymentManagement, label: 'Payment Management', icon: HandCoins },
    ],
  },
  {
    title: 'Administration',
    rows: [
      { path: paths.users, label: 'Users Management', icon: Users },
      { path: paths.adminSettings, label: 'Admin Settings', icon: SlidersHorizontal },
    ],
  },
]
