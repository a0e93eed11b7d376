import { billingRoutes } from '@tollgate/contract/billing/bills.ts'
import { useState, type ComponentProps } from 'react'
import { FetchFailure } from '../../api/FetchFailure.tsx'
import { useUser } from '../../api/session.tsx'
import { useApiQuery } from '../../api/use-api.ts'
import { moneyPollMs } from '../../money/queries.ts'
import { Drawer } from '../../ui/Drawer.tsx'
import { amendmentItems } from './bill-menu.ts'
import { BillDialog } from './BillDialog.tsx'
import { BillDrawer } from './BillDrawer.tsx'
import { t } from '../../language/t.ts'

/** Any bill, whether or not a list shows it now, with what can be done about it. */
export function StaffBillDrawer({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const found = useApiQuery(billingRoutes.getPeriod, { params: { id } }, { refetchIntervalMs: moneyPollMs })
  const viewer = useUser()
  const [dialog, setDialog] = useState<Pick<ComponentProps<typeof BillDialog>, 'action' | 'bill'>>()
  // It opens with the bill, so that on closing the focus goes back to what opened it.
  if (!found.data)
    return (
      found.error && (
        <Drawer isOpen onClose={onClose} label={t('Bill {bill}', { bill: `#${id}` })}>
          <FetchFailure of={found} title={t('Failed to fetch the bill')} />
        </Drawer>
      )
    )
  const actions = amendmentItems(
    found.data,
    viewer,
    (action, bill) => action !== 'open' && setDialog({ action, bill }),
  )
  return (
    <>
      <BillDrawer bill={found.data} isForStaff actions={actions} onClose={onClose} />
      {dialog && <BillDialog {...dialog} viewer={viewer} onClose={() => setDialog(undefined)} />}
    </>
  )
}
