// Instead of a page that a role lacks. Loaded when it is needed, so that its sentences are not in the first page.
import { isPermitted } from '@tollgate/contract/vocabulary.ts'
import { useUser } from '../api/session.tsx'
import { objectPaths, paths } from '../paths.ts'
import { DeniedState } from '../ui/DeniedState.tsx'
import { t } from '../language/t.ts'

/** By the path of the page; from the specification, where it has one. */
const reasons: Readonly<Record<string, string>> = {
  [paths.numbersManagement]: t("You don't have permission to access numbers management."),
  [paths.users]: t("You don't have permission to access user management."),
  [paths.numberInventory]: t('Only admin and support users can access number inventory management.'),
  [paths.ranges]: t("You don't have permission to access number ranges."),
  [paths.numberRequests]: t("You don't have permission to access number requests."),
  [paths.interconnectionApi]: t("You don't have permission to access the interconnection API."),
  [paths.cdrFiles]: t("You don't have permission to access the interconnection API."),
  [paths.smppControl]: t("You don't have permission to access SMPP control."),
  [paths.httpProviders]: t("You don't have permission to access HTTP providers."),
  [paths.alerts]: t("You don't have permission to see what is wrong with the gateway."),
  [paths.webhooks]: t("You don't have permission to access webhooks."),
  [paths.payment]: t("You don't have permission to access payment and billing."),
  [paths.paymentManagement]: t("You don't have permission to access payment management."),
  [paths.books]: t("You don't have permission to access the books."),
  [paths.numberStock]: t("You don't have permission to access the number stock."),
  [objectPaths.person]: t("You don't have permission to access user management."),
  [objectPaths.range]: t("You don't have permission to access number ranges."),
  [objectPaths.connection]: t("You don't have permission to access the interconnection API."),
  [objectPaths.provider]: t("You don't have permission to access HTTP providers."),
  [objectPaths.endpoint]: t("You don't have permission to access webhooks."),
  [objectPaths.bill]: t("You don't have permission to access payment and billing."),
}

export function DeniedPage({ path }: { readonly path: string }) {
  const { role } = useUser()
  return <DeniedState isPage>{reasonOf(path, isPermitted(role, 'userManagement'))}</DeniedState>
}

function reasonOf(path: string, managesUsers: boolean): string {
  if (path === paths.smppTraffic)
    return managesUsers
      ? t('Your account has no SMPP access. Switch it on in Users Management.')
      : t('Your account has no SMPP access. Ask support for it.')
  return reasons[path] ?? t("You don't have permission to access this page.")
}
