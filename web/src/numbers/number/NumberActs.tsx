// What staff may do about a number: in its drawer, on its page, and from the rows of the lists.
import { inventoryRoutes } from '@tollgate/contract/numbers/inventory.ts'
import { numbersRoutes, type NumberDetail } from '@tollgate/contract/numbers/numbers.ts'
import { CirclePause, CirclePlay, History, Pencil, Trash2, UserMinus, UserPlus } from 'lucide-react'
import { useState } from 'react'
import { ConfirmMutation } from '../../api/ConfirmMutation.tsx'
import { useUser } from '../../api/session.tsx'
import { FetchFailure } from '../../api/FetchFailure.tsx'
import { useApiQuery } from '../../api/use-api.ts'
import { formatPhone } from '../../format/phone.ts'
import { t } from '../../language/t.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { numberPaths } from '../queries.ts'
import { AssignDialog, BackdateDialog } from './AssignDialog.tsx'
import { EditNumberDialog } from './NumberForm.tsx'
import { useSuspend } from './use-suspend.ts'

type Act = 'assign' | 'edit' | 'backdate' | 'unassign' | 'delete'

export interface NumberAct {
  readonly act: Act
  readonly id: string
}

export function NumberActs({ number }: { readonly number: NumberDetail }) {
  const { role } = useUser()
  const [act, setAct] = useState<Act>()
  const suspend = useSuspend()
  const { id, phoneNumber, holder, status } = number
  const isActive = status === 'active'
  return (
    <>
      {isActive && holder === null && (
        <Button tone="primary" icon={UserPlus} onClick={() => setAct('assign')}>
          {t('Assign')}
        </Button>
      )}
      <Button icon={Pencil} onClick={() => setAct('edit')}>
        {t('Edit')}
      </Button>
      <Menu
        trigger={t('More actions for {shown}', { shown: formatPhone(phoneNumber) })}
        groups={[
          [
            {
              label: isActive ? t('Suspend') : t('Resume'),
              icon: isActive ? CirclePause : CirclePlay,
              onSelect: () => suspend({ id, assignedTo: holder?.id ?? null }, isActive),
            },
            ...(holder !== null && role === 'admin'
              ? [{ label: t('Backdate'), icon: History, onSelect: () => setAct('backdate') }]
              : []),
          ],
          [
            ...(holder === null
              ? []
              : [
                  {
                    label: t('Unassign'),
                    icon: UserMinus,
                    isDanger: true,
                    onSelect: () => setAct('unassign'),
                  },
                ]),
            { label: t('Delete'), icon: Trash2, isDanger: true, onSelect: () => setAct('delete') },
          ],
        ]}
      />
      {act && <ActDialog act={act} number={number} onClose={() => setAct(undefined)} />}
    </>
  )
}

interface RowActProps {
  readonly act: NumberAct
  readonly onClose: () => void
}

/** The dialog of an act that a row of a list offers, once the number is read. */
export function RowAct({ act: { act, id }, onClose }: RowActProps) {
  const number = useApiQuery(numbersRoutes.getAccountNumber, { params: { id } })
  if (number.data) return <ActDialog act={act} number={number.data} onClose={onClose} />
  return (
    number.error && (
      <Dialog isOpen onClose={onClose} title={t('Number')} closeLabel={t('Close')}>
        <FetchFailure of={number} title={t('Failed to fetch the number')} />
      </Dialog>
    )
  )
}

interface ActDialogProps {
  readonly act: Act
  readonly number: NumberDetail
  readonly onClose: () => void
}

function ActDialog({ act, number, onClose }: ActDialogProps) {
  // As it was when the dialog opened.
  const [opened] = useState(number)
  const { id, phoneNumber, holder } = opened
  if (act === 'assign') return <AssignDialog items={[{ id, number: phoneNumber }]} onClose={onClose} />
  if (act === 'edit') return <EditNumberDialog opened={opened} latest={number} onClose={onClose} />
  if (act === 'delete') return <DeleteNumberDialog id={id} number={phoneNumber} onClose={onClose} />
  if (holder === null) return null
  return act === 'backdate' ? (
    <BackdateDialog item={{ id, number: phoneNumber }} holder={holder} onClose={onClose} />
  ) : (
    <UnassignDialog id={id} number={phoneNumber} holder={holder.username} onClose={onClose} />
  )
}

interface ConfirmProps {
  readonly id: string
  readonly number: string
  readonly onClose: () => void
}

function DeleteNumberDialog({ id, number, onClose }: ConfirmProps) {
  const shown = formatPhone(number)
  return (
    <ConfirmMutation
      onClose={onClose}
      title={t('Delete {shown}?', { shown })}
      typed={{ word: shown, label: t('Type the number to confirm') }}
      route={numbersRoutes.deletePremiumNumber}
      refetch={numberPaths}
      success={t('Number deleted successfully')}
      failure={t('Failed to delete number')}
      call={{ params: { id } }}
      confirmLabel={t('Delete')}
      busyLabel={t('Deleting...')}
    >
      {t(
        'Messages to it will be refused from now on, and whoever holds it loses it. Its records and their bills stay.',
      )}
    </ConfirmMutation>
  )
}

function UnassignDialog({ id, number, holder, onClose }: ConfirmProps & { readonly holder: string }) {
  return (
    <ConfirmMutation
      onClose={onClose}
      title={t('Unassign {number}?', { number: formatPhone(number) })}
      route={inventoryRoutes.unassignNumber}
      refetch={numberPaths}
      success={t('Number unassigned successfully')}
      failure={t('Failed to unassign number')}
      call={{ params: { id } }}
      confirmLabel={t('Unassign')}
      busyLabel={t('Unassigning...')}
    >
      {t(
        '{holder} holds it until now. Its earlier records and what they earned stay; from now on its messages earn nobody anything.',
        { holder },
      )}
    </ConfirmMutation>
  )
}
