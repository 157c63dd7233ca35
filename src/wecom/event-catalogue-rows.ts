export type EventFamily =
  | 'message'
  | 'app'
  | 'approval'
  | 'contact'
  | 'customer'
  | 'customer-group'
  | 'customer-tag'
  | 'acquisition'
  | 'kf'
  | 'archive'
  | 'calendar'
  | 'meeting'
  | 'living'
  | 'document'
  | 'drive'
  | 'mail'
  | 'security'
  | 'chain'
  | 'school'
  | 'device'
  | 'payment'
  | 'suite'
  | 'order'
  | 'licence'
  | 'aibot';

export interface EventCatalogueRow {
  /** As WeCom spells it, misspellings included. */
  readonly eventType: string;
  /** Null for families that have no `ChangeType`. */
  readonly changeType: string | null;
  readonly family: EventFamily;
  /** Dot paths below the root of what may repeat, each after its parent. */
  readonly lists: readonly string[];
}

function plain(family: EventFamily, eventTypes: readonly string[], lists: readonly string[] = []): EventCatalogueRow[] {
  return eventTypes.map((eventType) => ({ eventType, changeType: null, family, lists }));
}

function changes(
  family: EventFamily,
  eventType: string,
  changeTypes: readonly string[],
  lists: readonly string[] = [],
): EventCatalogueRow[] {
  return changeTypes.map((changeType) => ({ eventType, changeType, family, lists }));
}

const APPROVAL_LISTS = [
  'ApprovalInfo.SpRecord',
  'ApprovalInfo.SpRecord.Details',
  'ApprovalInfo.Notifyer',
  'ApprovalInfo.Comments',
  'ApprovalInfo.ProcessList.NodeList',
  'ApprovalInfo.ProcessList.NodeList.SubNodeList',
];
const OPEN_APPROVAL_LISTS = [
  'ApprovalInfo.ApprovalNodes.ApprovalNode',
  'ApprovalInfo.ApprovalNodes.ApprovalNode.Items.Item',
  'ApprovalInfo.NotifyNodes.NotifyNode',
];
const CARD_LISTS = ['SelectedItems.SelectedItem', 'SelectedItems.SelectedItem.OptionIds.OptionId'];

/** What is documented today. An event that is missing here is as welcome as any other: it only has no known lists. */
export const EVENT_CATALOGUE_ROWS: readonly EventCatalogueRow[] = [
  ...plain('message', ['text', 'image', 'voice', 'video', 'location', 'link']),

  ...plain('app', ['subscribe', 'unsubscribe', 'enter_agent', 'LOCATION', 'click', 'view', 'view_miniprogram']),
  ...plain('app', ['scancode_push', 'scancode_waitmsg', 'location_select', 'taskcard_click', 'batch_job_result']),
  ...plain('app', ['pic_sysphoto', 'pic_photo_or_album', 'pic_weixin'], ['SendPicsInfo.PicList.item']),
  ...plain('app', ['template_card_event', 'template_card_menu_event'], CARD_LISTS),
  ...plain('app', ['upload_media_job_finish', 'switch_workbench_mode', 'inactive_alert', 'close_inactive_agent']),
  ...plain('app', ['reopen_inactive_agent', 'low_active_alert', 'low_active', 'active_restored']),
  ...plain('app', ['share_agent_change', 'share_chain_change', 'change_app_admin', 'unlicensed_notify']),
  ...plain('app', ['program_notify']),

  ...plain('approval', ['sys_approval_change'], APPROVAL_LISTS),
  ...plain('approval', ['open_approval_change'], OPEN_APPROVAL_LISTS),
  ...plain('approval', ['submit_vip_account_approval', 'finish_vip_account_approval']),

  ...changes('contact', 'change_contact', ['create_user', 'update_user'], ['ExtAttr.Item']),
  ...changes('contact', 'change_contact', [
    'delete_user',
    'create_party',
    'update_party',
    'delete_party',
    'update_tag',
  ]),

  ...changes('customer', 'change_external_contact', ['add_external_contact', 'add_half_external_contact']),
  ...changes('customer', 'change_external_contact', ['edit_external_contact', 'del_external_contact']),
  ...changes('customer', 'change_external_contact', ['del_follow_user', 'transfer_fail', 'msg_audit_approved']),
  ...changes('customer-group', 'change_external_chat', ['create', 'dismiss']),
  ...changes('customer-group', 'change_external_chat', ['update'], ['MemChangeList.Item']),
  ...changes('customer-tag', 'change_external_tag', ['create', 'update', 'delete', 'shuffle']),

  ...plain('acquisition', ['customer_acquisition_permit_change']),
  ...changes('acquisition', 'customer_acquisition', ['balance_low', 'balance_exhausted', 'balance_increased']),
  ...changes('acquisition', 'customer_acquisition', ['quota_expire_soon', 'link_unavailable', 'delete_link']),
  ...changes('acquisition', 'customer_acquisition', ['open_profile', 'friend_request', 'customer_start_chat']),
  ...changes('acquisition', 'customer_acquisition', ['message_from_customer', 'service_balance_low']),
  ...changes('acquisition', 'customer_acquisition', ['service_balance_exhausted', 'service_balance_consumed']),
  ...changes('acquisition', 'customer_acquisition', ['change_price']),

  ...plain('kf', ['kf_msg_or_event']),
  ...plain('kf', ['kf_account_auth_change'], ['AuthAddOpenKfId', 'AuthDelOpenKfId']),

  ...plain('archive', ['msgaudit_notify', 'conversation_new_message', 'hit_keyword']),
  ...plain('archive', ['chat_archive_audit_approved_single', 'chat_archive_audit_approved_room']),
  ...plain('archive', ['chat_archive_export_finished']),

  ...plain('calendar', ['modify_calendar', 'delete_calendar', 'add_schedule', 'modify_schedule', 'delete_schedule']),
  ...plain('calendar', ['respond_schedule', 'book_meeting_room', 'cancel_meeting_room']),
  ...changes('meeting', 'meeting_change', ['modify_meeting', 'cancel_meeting', 'meeting_start', 'meeting_end']),
  ...changes('meeting', 'meeting_change', ['meeting_mute_all', 'meeting_unmute_all', 'join_meeting', 'quit_meeting']),
  ...changes('meeting', 'meeting_change', ['join_meeting_before_host', 'join_waiting_room', 'quit_waiting_room']),
  ...changes('meeting', 'meeting_change', ['move_to_waiting_room', 'join_from_meeting_room', 'open_screen_share']),
  ...changes('meeting', 'meeting_change', ['close_screen_share', 'role_change', 'webinar_role_change']),
  ...changes('meeting', 'meeting_change', ['webinar_warm_up_upload', 'medium_upload', 'pstn_status_update']),
  ...changes('meeting', 'meeting_change', ['start_recording', 'pause_recording', 'resume_recording']),
  ...changes('meeting', 'meeting_change', ['stop_recording', 'recording_complete', 'delete_recording', 'enroll']),
  ...changes('meeting', 'meeting_change', ['cancel_enroll', 'meeting_room_response']),
  ...changes('meeting', 'meeting_statistics', ['start_meeting']),
  ...plain('living', ['living_status_change']),

  ...changes('document', 'doc_change', ['doc_member_change', 'delete_doc'], ['DocId']),
  ...changes('document', 'doc_change', ['form_complete', 'delete_form', 'form_settings_change'], ['FormId']),
  ...changes('document', 'smart_sheet_change', ['add_filed', 'update_filed', 'delete_filed'], ['FieldId']),
  ...changes('document', 'smart_sheet_change', ['add_record', 'update_record', 'delete_record'], ['RecordId']),
  ...changes('drive', 'wedrive_space_change', ['dismiss_space', 'space_member_change'], ['SpaceId']),
  ...changes('drive', 'wedrive_space_change', ['space_security_settings_change'], ['SpaceId']),
  ...changes('drive', 'wedrive_file_change', ['create_file', 'rename_file', 'update_file', 'delete_file', 'move_file']),
  ...plain('drive', ['wedrive_insufficient_capacity']),
  ...changes('mail', 'app_email_change', ['receive_email']),
  ...changes('mail', 'public_email_change', ['receive_email']),
  ...changes('security', 'security', ['change_domain_ip']),

  ...changes('chain', 'change_chain', ['create_chain', 'update_chain', 'delete_chain']),
  ...changes('chain', 'change_chain', ['create_group', 'update_group', 'delete_group'], ['GroupIds.GroupId']),
  ...changes('chain', 'change_chain', ['corp_join', 'update_corp', 'remove_corp'], ['CorpIds.CorpId']),

  ...changes('school', 'change_school_contact', ['create_student', 'update_student', 'delete_student']),
  ...changes('school', 'change_school_contact', ['create_parent', 'update_parent', 'delete_parent']),
  ...changes('school', 'change_school_contact', ['subscribe', 'unsubscribe']),
  ...changes('school', 'change_school_contact', ['create_department', 'update_department', 'delete_department']),
  // The documents' samples misspell these; which spelling is sent is not known.
  ...changes('school', 'change_school_contact', ['create_deparmtment', 'update_deparmtment', 'delete_deparmtment']),
  ...plain('school', ['change_school_contact_batch'], ['ChangeList']),

  ...plain('device', ['device_checkin_data_report', 'device_accesscontrol_data_report'], ['Item']),
  ...plain('device', ['device_temperature_data_report'], ['Item']),
  ...plain('device', ['device_data_auth_change']),

  ...plain('payment', ['TRANSACTION.SUCCESS', 'REFUND.SUCCESS', 'REFUND.ABNORMAL', 'REFUND.CLOSED']),

  ...plain('suite', ['suite_ticket', 'create_auth', 'change_auth', 'cancel_auth', 'reset_permanent_code']),
  ...plain('suite', ['corp_arch_auth', 'approve_special_auth', 'cancel_special_auth', 'register_corp']),
  ...plain('suite', ['enter_register_package', 'agree_external_userid_migration', 'contact_sync_success']),
  ...plain('order', ['open_order', 'change_order', 'pay_for_app_success', 'refund', 'cancel_order', 'change_editon']),
  ...plain('licence', ['license_pay_success', 'license_refund']),
  ...plain('licence', ['auto_activate'], ['AccountList']),
  ...plain('licence', ['advanced_api_pay_success', 'advanced_api_refund', 'advanced_api_cancel']),
  ...plain('licence', ['advanced_api_insufficient', 'advanced_api_expired', 'advanced_api_trial_expired']),

  ...plain('aibot', ['mixed', 'file', 'stream', 'enter_chat', 'feedback_event', 'disconnected_event']),
];
