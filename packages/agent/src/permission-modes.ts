// The permission modes and what they mean. A separate entry, which loads nothing else.

export {
  conversationModes,
  type PermissionMode,
  type PermissionModeFacts,
  permissionModes,
  permissionModeTable,
} from "@ikigai/permission/modes";
