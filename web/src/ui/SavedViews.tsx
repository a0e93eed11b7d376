import { Bookmark } from 'lucide-react'
import { useState } from 'react'
import { Button } from './Button.tsx'
import { Dialog } from './Dialog.tsx'
import { TextField } from './Field.tsx'
import { Menu } from './Menu.tsx'
import { useScreenSetting } from './screen-settings.ts'
import { t } from '../language/t.ts'

type ViewSearch = Readonly<Record<string, string>>
interface View {
  readonly name: string
  readonly search: ViewSearch
}

function isViews(value: unknown): value is readonly View[] {
  return (
    Array.isArray(value) &&
    value.every(
      (view: unknown) =>
        typeof view === 'object' &&
        view !== null &&
        'name' in view &&
        typeof view.name === 'string' &&
        'search' in view &&
        typeof view.search === 'object',
    )
  )
}

const noViews: readonly View[] = []

interface SavedViewsProps {
  /** The name of the list: 'sms-records'. */
  readonly page: string
  /** The filters in the address now. */
  readonly current: ViewSearch
  readonly onApply: (search: ViewSearch) => void
}

/** Named filters, kept with the account. */
export function SavedViews({ page, current, onApply }: SavedViewsProps) {
  const [views, setViews] = useScreenSetting(`views.${page}`, noViews, isViews)
  const [isNaming, setNaming] = useState(false)
  const [name, setName] = useState('')
  const close = () => {
    setNaming(false)
    setName('')
  }
  return (
    <>
      <Menu
        groups={[
          views.map((view) => ({ label: view.name, onSelect: () => onApply(view.search) })),
          [{ label: t('Save this view'), onSelect: () => setNaming(true) }],
          views.map((view) => ({
            label: t('Remove {name}', { name: view.name }),
            isDanger: true,
            onSelect: () => setViews(views.filter((kept) => kept.name !== view.name)),
          })),
        ]}
        trigger={
          <Button tone="ghost" icon={Bookmark}>
            {t('Views')}
          </Button>
        }
      />
      <Dialog
        isOpen={isNaming}
        onClose={close}
        title={t('Save this view')}
        description={t('Keeps the filters, sort and search of this page with your account.')}
        onSubmit={(event) => {
          event.preventDefault()
          if (name.trim() === '') return
          setViews([
            ...views.filter((view) => view.name !== name.trim()),
            { name: name.trim(), search: current },
          ])
          close()
        }}
        action={
          <Button tone="primary" type="submit" isDisabled={name.trim() === ''}>
            {t('Save')}
          </Button>
        }
      >
        <TextField
          label={t('Name')}
          value={name}
          maxLength={60}
          onChange={(event) => setName(event.target.value)}
          hint={t('A view of the same name is replaced')}
        />
      </Dialog>
    </>
  )
}
