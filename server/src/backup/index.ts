// Copies of the embedded database while it runs, and what is restored from them.
export { baseName, removeOldBackups } from './backups.ts'
export { restore } from './restore.ts'
export { writeBackup, type Backup } from './write-backup.ts'
