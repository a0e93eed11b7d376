import { numbersRoutes } from '@tollgate/contract/numbers/numbers.ts'
import { Download, FileUp, History, Plus } from 'lucide-react'
import { urlOf } from '../../api/call.ts'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { phoneQuery, useMediaQuery } from '../../ui/use-media-query.ts'
import { t } from '../../language/t.ts'

interface HeaderActionsProps {
  readonly onImport: () => void
  readonly onHistory: () => void
  readonly onAdd: () => void
}

/** Spec §9: the templates' file names. */
const templates = [
  { format: 'csv', label: t('CSV Template'), fileName: 'premium_numbers_template.csv' },
  { format: 'xlsx', label: t('Excel Template'), fileName: 'premium_numbers_template.xlsx' },
] as const

const templateUrl = (format: 'csv' | 'xlsx') => urlOf(numbersRoutes.downloadTemplate, { params: { format } })

/** Spec §2: CSV Template, Excel Template, Import File, Add Number. */
export function HeaderActions(props: HeaderActionsProps) {
  const isPhone = useMediaQuery(phoneQuery)
  return (
    <>
      {isPhone ? <PhoneMenu {...props} /> : <WideActions {...props} />}
      <Button tone="primary" icon={Plus} onClick={props.onAdd}>
        {t('Add Number')}
      </Button>
    </>
  )
}

function WideActions({ onImport, onHistory }: HeaderActionsProps) {
  return (
    <>
      {templates.map(({ format, label, fileName }) => (
        <a key={format} href={templateUrl(format)} download={fileName} className={buttonClass()}>
          <Download size={16} strokeWidth={1.6} aria-hidden="true" />
          {label}
        </a>
      ))}
      <Button icon={FileUp} onClick={onImport}>
        {t('Import File')}
      </Button>
      <IconButton icon={History} label={t('Earlier imports')} onClick={onHistory} />
    </>
  )
}

/** The same actions in a menu, so that the top bar of a phone stays low. */
function PhoneMenu({ onImport, onHistory }: HeaderActionsProps) {
  const download = (format: 'csv' | 'xlsx', fileName: string) => {
    const link = document.createElement('a')
    link.href = templateUrl(format)
    link.download = fileName
    link.click()
  }
  return (
    <Menu
      groups={[
        [
          { label: t('Import File'), icon: FileUp, onSelect: onImport },
          { label: t('Earlier imports'), icon: History, onSelect: onHistory },
        ],
        templates.map(({ format, label, fileName }) => ({
          label,
          icon: Download,
          onSelect: () => download(format, fileName),
        })),
      ]}
      trigger={t('More actions for numbers')}
    />
  )
}
